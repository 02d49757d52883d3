// What all modules share: words, announcements, toasts, dialogs, requests in place.

const source = document.getElementById("words");
export const words = JSON.parse(source.textContent);
export const { streams, now } = source.dataset;
export const language = document.documentElement.lang;

// British readers of English pages get British dates.
const base = (code) => code.split("-")[0];
export const locale = navigator.languages.find((code) => base(code) === base(language)) ?? language;

// Shown again, maybe as it was: browsers take such a page out of their cache.
export const isBack = performance.getEntriesByType("navigation")[0]?.type === "back_forward";

const plural = new Intl.PluralRules(language);
const live = make("div");
live.role = "status";
document.body.append(live);

export const find = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];
export const on = (name, listener) => document.addEventListener(name, listener);

export function make(name, className = "", text = "") {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}

export const filled = (text, value) => text.replace(/%\(\w+\)s/, value);

// Of words in singular and plural.
export const counted = (forms, number) => filled(forms[+(plural.select(number) !== "one")], number);

// One toast and one announcement at a time.
function put(element) {
  const place = find("dialog[open]") ?? document.body; // nothing beneath an open dialog is read
  if (live.parentElement !== place) place.append(live); // what moves loses its focus
  take(find(element.localName, live));
  live.append(element);
}

function take(element) {
  if (!element?.isConnected) return;
  element.remove();
  element.end?.();
}

// For those who listen to the page.
export const say = (text) => put(make("p", "sr-only", text));

// Four seconds at the foot of the page, longer under the pointer or the focus. `end` follows, unless it is undone.
export function toast(text, undo, end) {
  const box = make("div", "toast", text);
  box.end = end;
  const leave = () => (box.matches(":hover, :focus-within") ? setTimeout(leave, 1000) : take(box));
  if (undo) {
    const button = make("button", "", words.undo);
    button.onclick = () => {
      box.remove();
      undo();
    };
    box.append(button);
  }
  put(box);
  setTimeout(leave, 4400);
}

export const parsed = (html) => new DOMParser().parseFromString(html, "text/html");
export const fetchPage = async (address) => parsed(await (await request(address)).text());

// Sends the fields of a form. Returns the answer; nothing after a failure.
export async function send(address, form = find("#act")) {
  const body = new URLSearchParams(new FormData(form));
  const answer = await request(address, { method: "POST", body, keepalive: true }).catch(() => null);
  return answer?.ok && answer;
}

// Like `fetch`, and the reader gets to know what went wrong.
export async function request(address, options) {
  let answer;
  try {
    answer = await fetch(address, { headers: { "HX-Request": "true" }, ...options });
    if (answer.status > 499) throw answer;
  } catch (error) {
    toast(error.status ? words.failed : words.lost);
    throw error;
  }
  if (answer.redirected) {
    location.assign(answer.url); // to the log-in
    return new Promise(() => {});
  }
  if (answer.headers.has("HX-Reswap")) toast(await answer.clone().text()); // a refusal
  return answer;
}

// htmx sends in the same way.
on("htmx:before:request", ({ detail: { ctx } }) => {
  if (ctx.request.method === "POST") ctx.fetch = request;
});
