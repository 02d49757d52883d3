// Forms to write with: they count as the server does, keep drafts, and are sent in place.

import { entryId, isHere, showCount } from "./cards.js";
import { offerNew } from "./news.js";
import { all, counted, find, make, on, parsed, say, toast, words } from "./page.js";

// For Python, U+FEFF is no white space.
const ends = /^[^\S\ufeff]+|[^\S\ufeff]+$/g;
const blankLines = /\n(?:[^\S\n\ufeff]*\n){2,}/g;
// Browsers take Indian conjuncts for one character, the server does not.
const conjuncts = /(?<=[\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d][\p{M}\u200d]*)(?=\p{L})/u;
const characters = new Intl.Segmenter();

// See `statuses/words/text.py`.
function length(text) {
  const clean = text.replace(ends, "").replace(blankLines, "\n\n").normalize();
  return clean.split(conjuncts).flatMap((part) => [...characters.segment(part)]).length;
}

// See `web/text_fields.py`.
const codePoints = (text) => [...text.replace(ends, "")].length;

function count(field, isTyping = true) {
  const longest = +field.dataset.longest;
  const used = (field.dataset.counts ? codePoints : length)(field.value);
  const over = Math.max(0, used - longest);
  if (field.name === "text") showLeft(find(".counter", field.form), used, longest);
  if (over || isTyping) complainAbout(field, over && counted(words.tooLong, over));
}

function showLeft(counter, used, longest) {
  if (!counter) return;
  counter.hidden = false;
  counter.classList.toggle("is-over", used > longest);
  find(".value", counter).setAttribute("stroke-dasharray", `${Math.min(100, (100 * used) / longest)} 100`);
  find("span", counter).textContent = longest - used;
}

// One message for each field, instead of what the server said about it before.
function complainAbout(field, text) {
  const { form } = field;
  const wasWrong = field.ariaInvalid === "true";
  for (const old of all(".field-error", field.parentNode)) old.remove();
  field.ariaInvalid = !!text;
  if (text) {
    field.after(make("p", "field-error too-long", text));
    if (!wasWrong) say(text);
  }
  const button = find("button:not([type=button])", form);
  if (button) button.ariaDisabled = !!find(".too-long", form);
}

// Of one reader and one place: a new post, the status that is answered, or the one that is edited.
const nameOf = (form) => `draft ${find("#writing").dataset.reader} ${form.dataset.draft}`;
const KEPT = ["text", "warning", "visibility", "language"];
const kept = (form) => KEPT.map((name) => form.elements[name]).filter(Boolean);
const contents = (form) => Object.fromEntries(kept(form).map(({ name, value }) => [name, value]));
const written = (form) => JSON.stringify(contents(form));

function unwritten(form) {
  const copy = form.cloneNode(true);
  copy.reset();
  return written(copy);
}

// A dialog that is not filled yet has the text alone: what else the draft says stays.
export function keep(form) {
  const name = nameOf(form);
  const before = JSON.parse(localStorage[name] ?? "{}");
  if (written(form) === unwritten(form)) localStorage.removeItem(name);
  else localStorage[name] = JSON.stringify({ ...before, ...contents(form) });
}

// What was typed before this script came stands after the draft.
export function restore(form) {
  const draft = JSON.parse(localStorage[nameOf(form)] ?? "{}");
  const { text, warning } = form.elements;
  const isTyped = text.value !== text.defaultValue && text.value !== draft.text;
  if (isTyped && draft.text && !text.defaultValue) draft.text += ` ${text.value}`;
  else if (isTyped) delete draft.text;
  for (const field of kept(form)) if (field.name in draft) field.value = draft[field.name];
  if (warning?.value && warning.closest("details")) warning.closest("details").open = true;
  for (const field of all("[data-longest]", form)) if (field.value) count(field, false);
}

// After another form for the same place was written in or sent.
export function follow(form) {
  form.reset();
  restore(form);
}

export const others = (form) => all(`form[data-draft="${form.dataset.draft}"]`).filter((it) => it !== form);

export function prepare(form) {
  const { language } = form.elements;
  for (const code of language?.dataset.codes?.split(" ") ?? []) {
    if (all("option", language).some(({ value }) => value === code)) continue;
    language.append(new Option(new Intl.DisplayNames(code, { type: "language" }).of(code), code));
  }
  restore(form);
  if (written(form) !== unwritten(form)) keep(form); // also what was typed before this script came
}

function completes(field) {
  if (!field.matches("textarea[data-longest]") || !/[@#]/.test(field.value)) return;
  import("./completion.js").then(({ complete }) => complete(field));
}

on("input", ({ target }) => {
  const form = target.form;
  if (target.matches("[data-longest]")) count(target);
  if (form?.dataset.draft) {
    keep(form);
    for (const old of all(":scope > .field-error", form)) old.remove();
  }
  completes(target);
});

on("click", ({ target }) => target.matches("[data-discards]") && localStorage.removeItem(nameOf(target.closest("form"))));

// Another tab: a form that shows the draft as it was follows; all of them once somebody has logged out.
addEventListener("storage", ({ key, oldValue }) => {
  for (const form of all("form[data-draft]")) {
    const isSame = key === nameOf(form) && written(form) === (oldValue ?? unwritten(form));
    if (key === null || isSame) follow(form);
  }
});

// Other forms are sent by the browser.
addEventListener("submit", (event) => find(".too-long", event.target) && event.preventDefault(), true);

export async function send(form) {
  if (form.ariaBusy === "true" || find(".too-long", form)) return;
  // The rest of a double click, after a quick answer.
  if (!form.elements.text.value && performance.now() - form.sentAt < 1000) return;
  form.ariaBusy = true;
  await form.filled;
  if (!form.elements.csrfmiddlewaretoken) return (form.ariaBusy = false);
  const draft = localStorage[nameOf(form)];
  form.elements.text.readOnly = true;
  const answer = await post(form);
  form.elements.text.readOnly = false;
  form.ariaBusy = false;
  if (!answer?.ok) return refuse(form, answer);
  if (localStorage[nameOf(form)] === draft) localStorage.removeItem(nameOf(form));
  show(form, parsed(await answer.text()));
}

async function post(form) {
  const body = new URLSearchParams(new FormData(form));
  const answer = await fetch(form.action, { method: "POST", headers: { "HX-Request": "true" }, body }).catch(() => null);
  if (!answer?.redirected) return answer;
  location.assign(answer.url); // to the log-in
  return new Promise(() => {});
}

// The text stays where it is.
async function refuse(form, answer) {
  if (!answer) return complain(form, words.lost);
  const text = await answer.text();
  const fresh = find("[data-draft]", parsed(text));
  if (!fresh) return complain(form, answer.headers.has("HX-Reswap") ? text : words.failed);
  const isComposer = form.matches(".composer");
  if (isComposer) graft(form, fresh);
  else form.replaceWith(fresh);
  (isComposer ? form : fresh).elements.text.focus();
}

export function complain(form, text) {
  for (const old of all(":scope > .field-error", form)) old.remove();
  const message = make("p", "field-error", text);
  message.role = "alert";
  form.prepend(message);
  form.elements.text.focus();
}

function show(form, page) {
  const card = find("article.status", page);
  const dialog = form.closest("dialog");
  const place = card && placeOf(form);
  for (const other of others(form)) follow(other);
  form.elements.text.value = "";
  form.sentAt = performance.now();
  if (!dialog && !place) return location.assign(form.dataset.after ?? form.elements.next.value);
  if (dialog) dialog.close();
  else graft(form, find("form", page));
  if (place && !isHere(entryId(card))) place(card);
  offerNew();
  toast(words.posted);
}

// Where its author sees it: beneath what it answers, or at the top of the list that has a place for it.
function placeOf(form) {
  const answered = form.elements.reply_to.value;
  if (!answered) return inserter(find("#posted:not(.thread)"), "prepend");
  const card = find(`#status-${answered}`);
  if (card) countReply(find("[data-action=reply]", card));
  if (card?.closest(".focus")) return inserter(find("#posted"), "append");
  return inserter(card?.closest(".thread-entry") ?? card, "after");
}

const inserter = (element, way) => element && ((card) => element[way](card));

function countReply(link) {
  const number = 1 + +(find(".count", link)?.textContent ?? 0);
  if (number) showCount(link, number); // not for 1.2k
}

// Puts what the server sent around the box, which stays as it is, with its focus and what is being typed.
export function graft(form, fresh) {
  const { text } = form.elements;
  const theirs = find(".composer-words", fresh);
  const [box, ...errors] = theirs.children;
  if (form.closest("dialog")) rename(fresh);
  for (const name of ["aria-invalid", "aria-describedby", "aria-labelledby"]) text.removeAttribute(name);
  for (const { name, value } of fresh.attributes) form.setAttribute(name, value);
  for (const { name, value } of box.attributes) text.setAttribute(name, value);
  for (const old of all(":scope > :not(.composer-words), .composer-words > :not(textarea)", form)) old.remove();
  text.after(...errors);
  const parts = [...fresh.children];
  text.parentNode.before(...parts.slice(0, parts.indexOf(theirs)));
  text.parentNode.after(...parts.slice(parts.indexOf(theirs) + 1));
  prepare(form);
}

// The page may have the same form.
function rename(form) {
  for (const name of ["id", "aria-describedby"]) {
    for (const it of [form, ...all(`[${name}]`, form)]) {
      it.setAttribute(name, it.getAttribute(name)?.replace(/\S+/g, "writing-$&") ?? "");
    }
  }
}

all("form[data-draft]").forEach(prepare);
for (const field of all("[data-longest]")) if (field.value) count(field, false);
completes(document.activeElement);
