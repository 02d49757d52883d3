// Everything works without these; each makes one thing quicker.

import "./deeds.js";
import "./compose.js";
import "./live.js";
import "./scrolling.js";
import "./times.js";
import "./offline.js";

// Fetched when they are needed: menus with the first that opens, keys with the first outside a form.
let keys;
let menus;

addEventListener("toggle", () => (menus ??= import("./menu.js")), true);

addEventListener("click", async (event) => {
  const opener = event.target.closest(".action-more");
  if (menus || !opener || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  menus = import("./menu.js");
  (await menus).open(opener);
});

// What a page before this one did not finish.
if (localStorage.deleting) import("./deleting.js").then((it) => it.resume());

addEventListener("keydown", async (event) => {
  if (event.target.matches("input, textarea, select, dialog *")) return;
  keys ??= import("./keys.js");
  (await keys).press(event);
});
