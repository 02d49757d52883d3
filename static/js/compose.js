// The form to write with: counts as the server does, keeps drafts, posts with Ctrl+Enter.

import { all, counted, find, make, on, say, words } from "./page.js";

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

function count(field) {
  const longest = +field.dataset.longest;
  const used = length(field.value);
  const over = Math.max(0, used - longest);
  const counter = find(".counter", field.form);
  if (!counter) return;
  counter.hidden = false;
  counter.classList.toggle("is-over", over > 0);
  find(".value", counter).setAttribute("stroke-dasharray", `${Math.min(100, (100 * used) / longest)} 100`);
  find("span", counter).textContent = longest - used;
  find(".too-long", field.form)?.remove();
  if (over) field.after(make("p", "field-error too-long", counted(words.tooLong, over)));
  // When it becomes too long, not for every key.
  if (over && field.ariaInvalid !== "true") say(counted(words.tooLong, over));
  field.ariaInvalid = over > 0;
}

// One for each reader and each place: the home, or the status that is answered.
const reader = find('.places [href^="/@"]')?.pathname;
const draft = (form) => `draft ${reader} ${form.elements.reply_to?.value}`;

function prepare(form) {
  const { text, language } = form.elements;
  text.value ||= localStorage[draft(form)] ?? "";
  if (language) language.value ||= navigator.language;
  if (text.value) count(text);
}

on("input", ({ target }) => {
  if (!target.matches("[data-longest]")) return;
  count(target);
  if (target.form.matches(".composer")) localStorage[draft(target.form)] = target.value;
  if (/[@#]/.test(target.value)) import("./completion.js").then(({ complete }) => complete(target));
});

on("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  if (event.target.matches("[data-longest]")) event.target.form.requestSubmit();
});

// The form is there again: empty once it is posted, or with what is wrong.
on("htmx:after:swap", ({ detail: { ctx } }) => {
  if (!ctx.sourceElement.matches(".composer")) return;
  const form = find("form.composer");
  if (ctx.response.status === 200) {
    localStorage.removeItem(draft(form));
    say(words.posted);
  }
  prepare(form);
  form.elements.text.focus();
});

// Others may use this browser next.
on("submit", ({ target }) => target.matches('[action="/logout/"]') && localStorage.clear());

all("form.composer").forEach(prepare);
