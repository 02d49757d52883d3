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

// A post is deleted when nobody can undo it any more.
const deleting = () => import("./deleting.js");
if (localStorage.deleting) deleting().then((it) => it.resume());

addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-delete]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !document.querySelector("#act")) return;
  event.preventDefault();
  (await deleting()).begin(link);
});

addEventListener("keydown", async (event) => {
  if (event.target.matches("input, textarea, select, dialog *")) return;
  keys ??= import("./keys.js");
  (await keys).press(event);
});
