// Keyboard shortcuts; the page `/keyboard/` explains them.

import { cards, focusOn } from "./cards.js";
import { find } from "./page.js";
import { showNew } from "./news.js";

const GO = { h: "/", n: "/notifications/", e: "/explore/", p: find('.places [href^="/@"]')?.href };
let isGoing = false;

const current = () => document.activeElement.closest("article.status");
const click = (selector, root = current() ?? find(".focus")) => root && find(selector, root)?.click();

function step(by) {
  const all = cards();
  const at = all.indexOf(current());
  // From the first one in sight.
  const next = at < 0 ? all.findIndex((card) => card.getBoundingClientRect().bottom > 60) : at + by;
  focusOn(all[Math.max(0, next)]);
}

function write() {
  const text = find(".composer textarea");
  if (text) text.focus();
  else location.assign("/#compose");
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  n: write,
  l: () => click(".action-like"),
  b: () => click(".action-boost"),
  r: () => (current() && !current().closest(".focus") ? click(".action-reply") : write()),
  o: () => click(".status-time"),
  "/": () => find("[type=search]")?.focus() ?? location.assign("/search/"),
  ".": showNew,
  "?": () => import("./shortcuts.js").then((it) => it.show()),
  g: () => (isGoing = true),
};

export function press(event) {
  const key = event.key === "Enter" && event.target.matches("article") ? "o" : event.key;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const way = isGoing && GO[key];
  isGoing = false;
  if (way) location.assign(way);
  else if (KEYS[key]) {
    event.preventDefault();
    KEYS[key]();
  }
}
