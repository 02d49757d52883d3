// Keyboard shortcuts; the page `/keyboard/` explains them. Those that open a box to write in are in app.js.

import { cards, choose, chosenCard, focusOn } from "./cards.js";
import { find } from "./page.js";
import { showNew } from "./news.js";

const GO = { h: "/", n: "/notifications/", e: "/explore/", p: find("a[data-profile]")?.href };
let isGoing = false;

const current = () => document.activeElement.closest("article.status");
const click = (selector, root = current() ?? find(".focus")) => root && find(selector, root)?.click();
const isOff = document.documentElement.dataset.shortcuts === "off";

function step(by) {
  const all = cards();
  const at = all.indexOf(current());
  // From the first one in sight.
  const next = at < 0 ? all.findIndex((card) => card.getBoundingClientRect().bottom > 60) : at + by;
  const card = all[Math.max(0, next)];
  focusOn(card);
  choose(card);
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  l: () => click("[data-action=like]", chosenCard()),
  b: () => click("[data-action=boost]", chosenCard()),
  o: () => click(".status-time"),
  "/": () => find("[type=search]")?.focus() ?? location.assign("/search/"),
  ".": () => showNew().then(() => choose(current())),
  "?": () => import("./shortcuts.js").then((it) => it.show()),
  g: () => (isGoing = true),
};

export function press(event) {
  const key = event.key === "Enter" && event.target.matches("article") ? "o" : event.key;
  if (event.ctrlKey || event.metaKey || event.altKey || (isOff && event.key !== "Enter")) return;
  const way = isGoing && GO[key];
  isGoing = false;
  if (way) location.assign(way);
  else if (KEYS[key]) {
    event.preventDefault();
    KEYS[key]();
  }
}
