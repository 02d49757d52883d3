// Everything works without these; each makes one thing quicker.

import "./deeds.js";
import "./compose.js";
import "./live.js";
import "./scrolling.js";
import "./times.js";
import "./offline.js";

// Fetched when they are needed: menus with the first that somebody reaches for, keys with the first outside a form.
const keys = () => import("./keys.js");
const menus = () => import("./menu.js");

addEventListener("pointerdown", ({ target }) => target.closest(".action-more, .menu") && menus());

addEventListener(
  "toggle",
  async ({ target }) => target.matches("details.menu, .menu details") && (await menus()).settle(target),
  true,
);

addEventListener("click", async (event) => {
  const opener = event.target.closest(".action-more");
  if (!opener || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  (await menus()).toggle(opener);
});

// What a page before this one did not finish.
if (localStorage.deleting) import("./deleting.js").then((it) => it.resume());

addEventListener("keydown", async (event) => {
  if (event.target.matches("input, textarea, select, dialog *")) return;
  (await keys()).press(event);
});
