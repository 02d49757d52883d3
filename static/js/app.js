// Everything works without these; each makes one thing quicker.

import "./reactions.js";
import "./live.js";
import "./scrolling.js";
import "./times.js";
import "./offline.js";
import { all, find } from "./page.js";

// Fetched when they are needed: menus with the first that somebody reaches for, keys with the first outside a form, what
// forms to write with need once somebody writes or has a draft.
let keysHere;
const keys = () => (keysHere ??= import("./keys.js")); // one promise: keys act in the order they were pressed
const menus = () => import("./menu.js");
const compose = () => import("./compose.js");
const isModified = (event) => event.ctrlKey || event.metaKey || event.shiftKey;

addEventListener("pointerdown", ({ target }) => target.closest("[data-action=more], .menu") && menus());

addEventListener(
  "toggle",
  async ({ target }) => target.matches("details.menu, .menu details") && (await menus()).toggled(target),
  true,
);

// Also while the script is on its way.
addEventListener("keydown", async (event) => {
  if (!find("details.menu[open], [data-action=more][aria-expanded=true]")) return;
  const isStep = /Arrow(Up|Down)/.test(event.key) && event.target.closest(".menu, .menu-list, [data-action=more]");
  if (!isStep && event.key !== "Escape") return;
  if (isStep) event.preventDefault();
  (await menus()).press(event.key);
});

// Opened before this script was here.
for (const menu of all("details.menu[open]")) menus().then((it) => it.toggled(menu));

addEventListener("click", async (event) => {
  const opener = event.target.closest("[data-action=more]");
  if (!opener || isModified(event)) return;
  event.preventDefault();
  (await menus()).toggle(opener);
});

// What a page before this one did not finish.
if (localStorage.deleting) import("./deleting.js").then((it) => it.resume());

// These two wait for no script: what is typed next belongs into the box that they open.
const OPENERS = {
  n: () => find(".post-link"),
  r: () => (document.activeElement.closest("article.status") ?? find(".focus"))?.querySelector("[data-action=reply]"),
};
const isOff = document.documentElement.dataset.shortcuts === "off";
let lastKey;

addEventListener("keydown", async (event) => {
  const { key, target } = event;
  const isSent = key === "Enter" && (event.ctrlKey || event.metaKey);
  if (isSent && target.matches(":is(.composer, [data-draft]) textarea")) target.form.requestSubmit();
  if (target.matches("input, textarea, select, dialog *")) return;
  const opener = lastKey !== "g" && !isOff && !isModified(event) && !event.altKey && OPENERS[key];
  lastKey = key;
  if (!opener) return (await keys()).press(event);
  event.preventDefault();
  if (key === "r") await keysHere; // the keys before it choose the card
  opener()?.click();
});

// The dialog is open before its script is here: what is typed at once lands in the box.
function write(card) {
  const dialog = find("#writing").content.firstElementChild.cloneNode(true);
  find("h2", dialog).textContent = dialog.dataset[card ? "reply" : "post"];
  document.body.append(dialog);
  dialog.showModal();
  find("textarea", dialog).focus();
  find(".composer", dialog).filled = import("./writing.js").then((it) => it.fill(dialog, card));
}

addEventListener("click", (event) => {
  const link = event.target.closest("[data-action=reply], [data-write]");
  if (!link || !find("#writing") || isModified(event)) return;
  event.preventDefault();
  const box = link.closest(".focus") && find("textarea#reply");
  if (box) box.focus();
  else write(link.closest("article"));
});

// Others may use this browser next.
function forget() {
  localStorage.clear();
  sessionStorage.clear();
}

addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.matches('[action="/logout/"]')) forget();
  if (/\/(un)?(block|follow)\/$/.test(form.action)) sessionStorage.removeItem("contacts");
  if (!form.matches(".composer, [data-draft]")) return;
  event.preventDefault();
  (await compose()).send(form);
});

if (find("[data-left]")) forget();
addEventListener("focusin", ({ target }) => target.closest("[data-draft], [data-longest]") && compose());
for (const name of ["input", "focusin"])
  addEventListener(name, async ({ target }) => {
    const isBox = find("#writing") && target.matches(".search [type=search]");
    if (isBox && (name === "input" || !target.value)) (await import("./completion.js")).complete(target);
  });
if (find("[data-draft]") && Object.keys(localStorage).some((it) => it.startsWith("draft "))) compose();
// The page was loaded again under an open dialog.
const { writing } = history.state ?? {};
const answered = all("article").find(({ id }) => id === writing);
if (find("#writing") && (answered || writing === "")) write(answered);
