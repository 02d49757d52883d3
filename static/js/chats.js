// Messages while a page is open. The stream says that a chat has changed; what has, the page asks for, from the version
// that it shows: so nothing comes twice, out of order, or to somebody it is not for.

import { all, fetchPage, find, locale, make, on, request, toast, words } from "./page.js";

const said = find("#said");
const form = find(".say");
const badge = find("[data-messages]");
let looking = null; // one look at a time
let again = false;
let sending = Promise.resolve();
const clock = new Intl.DateTimeFormat(locale, { timeStyle: "short" });

// In the reader's zone.
function showTimes() {
  for (const time of all(".bubble-time time")) time.textContent = clock.format(new Date(time.dateTime));
}

export function heard({ chat, version }) {
  if (+said?.dataset.chat === chat && !document.hidden && +said.dataset.version < version) catchUp();
  else countUnread();
}

export async function catchUp() {
  again = true;
  looking ??= lookUntilDone().finally(() => (looking = null));
  await looking;
}

async function lookUntilDone() {
  while (again) {
    again = false;
    const answer = await request(`${said.dataset.changes}?since_id=${said.dataset.version}`);
    if (!answer.ok) return location.reload(); // too much has changed, or the reader is out
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    show(find(".talk-said", page));
  }
  countUnread();
}

function show(changed) {
  for (const part of [...changed.children]) {
    const here = part.id && document.getElementById(part.id);
    const isKnownDay = part.matches(".day") && all(".day time", said).some((it) => it.dateTime === find("time", part).dateTime);
    if (here) here.replaceWith(part);
    else if (isOld(part)) continue; // further up than the page reaches
    else if (!isKnownDay) said.append(part);
  }
  said.dataset.version = changed.dataset.version;
  showTimes();
  for (const article of all("article", said)) {
    const before = article.previousElementSibling;
    article.classList.toggle("starts", before?.dataset.author !== article.dataset.author);
  }
}

function isOld(part) {
  const first = find("article", said);
  const number = (it) => BigInt(it.id.replace("message-", ""));
  return part.matches("article") && first && number(part) < number(first);
}

async function countUnread() {
  if (!badge) return;
  const fresh = find("body", await fetchPage(badge.dataset.messages));
  find(".unread-count", badge)?.remove();
  find("a", badge).append(...fresh.childNodes);
}

// Shown at once, and sent in the order in which they were written.
function send() {
  const text = form.elements.text.value.trim();
  if (!text) return;
  const body = new URLSearchParams(new FormData(form));
  const bubble = make("div", "bubble last", text);
  const line = make("article", "said is-mine starts is-pending");
  const bubbles = make("div", "bubbles");
  bubbles.append(bubble);
  line.append(bubbles);
  said.after(line);
  form.reset();
  form.elements.idempotency_key.value = crypto.randomUUID();
  form.elements.reply_to.value = "";
  find(".answering")?.remove();
  sending = sending.then(() => post(body, text, line));
}

async function post(body, text, line) {
  try {
    const answer = await request(form.action, { method: "POST", body });
    if (!answer.ok) throw answer;
    await catchUp();
  } catch (error) {
    if (error.text) toast(find(".talk-error", new DOMParser().parseFromString(await error.text(), "text/html"))?.textContent ?? words.failed);
    // It is not lost: the same key makes sure that it is sent once.
    form.elements.text.value ||= text;
    form.elements.idempotency_key.value = body.get("idempotency_key");
  }
  line.remove();
}

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});

form?.elements.text.addEventListener("keydown", (event) => {
  const isSent = event.key === "Enter" && !event.shiftKey && !event.isComposing && matchMedia("(pointer: fine)").matches;
  if (!isSent) return;
  event.preventDefault();
  send();
});

if (said) {
  showTimes();
  on("visibilitychange", () => document.hidden || catchUp());
}
if (location.hash === "" && find("#new")) find("#new").scrollIntoView({ block: "center" });
