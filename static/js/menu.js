// The menu of a status, opened at its card; and all menus: Escape, arrow keys, one at a time.

import { all, fetchPage, find, on, toast, words } from "./page.js";

function close(except) {
  for (const menu of all("details.menu[open]")) menu.open = menu.contains(except);
  const list = find(".status-actions .menu-list");
  if (!list || list.contains(except)) return;
  const opener = list.previousElementSibling;
  if (list.contains(document.activeElement)) opener.focus();
  opener.ariaExpanded = false;
  list.remove();
}

export async function open(opener) {
  const list = find(".menu-list", await fetchPage(opener.href));
  close();
  if (!list) return;
  find("[data-share]", list).hidden = !navigator.share;
  opener.after(list);
  opener.ariaExpanded = true;
  find("a", list).focus();
}

on("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target.closest(".status-actions :is(.action-more, [data-copy], [data-share], [data-delete])");
  if (link) event.preventDefault();
  if (link?.matches(".action-more") && link.ariaExpanded !== "true") return open(link);
  if (link?.matches("[data-copy]")) navigator.clipboard.writeText(link.href).then(() => toast(words.copied));
  if (link?.matches("[data-share]")) navigator.share({ url: link.href }).catch(() => {});
  if (link?.matches("[data-delete]")) import("./deleting.js").then((it) => it.begin(link));
  close(link ? null : event.target);
});

on("submit", () => close());

on("keydown", (event) => {
  if (event.key === "Escape") close();
  const menu = event.target.closest(".menu-list");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!menu || !step) return;
  event.preventDefault();
  const items = all("a, button", menu).filter((item) => item.checkVisibility());
  items.at((items.indexOf(event.target) + step) % items.length).focus();
});
