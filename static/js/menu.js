// The menu of a status, opened at its card; and all menus: one at a time, in view, on phones a sheet at the
// foot of the screen; Escape, a phone's own way back, arrow keys.

import { all, fetchPage, find, on, toast, words } from "./page.js";

const GAP = 8;
const isSheet = matchMedia("(max-width: 43.99rem)"); // as in `controls.css`
let shown;

// In the browser's top layer: bars, titles and other cards lie below it.
function show(list, opener) {
  close();
  list.setAttribute("popover", "manual");
  list.showPopover?.();
  opener.ariaExpanded = true;
  shown = { list, opener, watcher: window.CloseWatcher && new CloseWatcher() };
  if (shown.watcher) shown.watcher.onclose = close;
  place(true);
}

// Below its opener, or above it where there is no room.
function place(mayTurn = false) {
  if (!shown) return;
  const { list, opener } = shown;
  const at = opener.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = list;
  const below = innerHeight - at.bottom;
  if (mayTurn) shown.isUp = height + GAP > below && at.top > below;
  const within = (wanted, most) => (isSheet.matches ? "" : `${Math.max(GAP, Math.min(wanted, most - GAP))}px`);
  list.style.top = within(shown.isUp ? at.top - height : at.bottom, innerHeight - height);
  list.style.left = within(at.right - width, innerWidth - width);
}

// The focus goes back to where it came from, unless it is elsewhere by now.
function close() {
  if (!shown) return;
  const { list, opener, watcher } = shown;
  const menu = list.closest("details.menu");
  const hasFocus = list.contains(document.activeElement) || document.activeElement === document.body;
  shown = null;
  watcher?.destroy();
  opener.ariaExpanded = false;
  if (hasFocus) opener.focus({ preventScroll: true });
  list.hidePopover?.();
  if (menu) menu.open = false;
  else list.remove();
}

// A <details> that was opened or closed: a menu, or a fold inside one.
export function toggled(details) {
  if (!details.matches(".menu")) return place(true);
  const list = find(".menu-list", details);
  if (details.open && shown?.list !== list) show(list, find("summary", details));
  if (!details.open && shown?.list === list) close();
}

export async function toggle(opener) {
  if (opener.ariaExpanded === "true") return close();
  const list = find(".menu-list", await fetchPage(opener.href));
  if (!list) return;
  find("[data-share]", list).hidden = !navigator.share;
  opener.after(list);
  show(list, opener);
  find("a", list).focus();
}

on("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target.closest(".menu-list :is([data-copy], [data-share], [data-delete])");
  if (!link) return;
  event.preventDefault();
  if (link.matches("[data-copy]")) navigator.clipboard.writeText(link.href).then(() => toast(words.copied));
  else if (link.matches("[data-share]")) navigator.share({ url: link.href }).catch(() => {});
  else import("./deleting.js").then((it) => it.begin(link));
  close();
});

// A click beside a sheet only closes it.
function leave(event) {
  if (!shown || [shown.list, shown.opener].some((it) => it.contains(event.target))) return;
  if (event.type === "click" && isSheet.matches) {
    event.preventDefault();
    event.stopPropagation();
  }
  close();
}

on("submit", close);
on("focusin", leave);
addEventListener("click", leave, true);
addEventListener("scroll", () => place(), true);
addEventListener("resize", () => place(true));
addEventListener("pagehide", close);

// From where the keys before it have led.
export function press(key) {
  if (key === "Escape") return close();
  const from = document.activeElement;
  if (![shown?.list, shown?.opener].some((it) => it?.contains(from))) return;
  const items = all("a, button, summary", shown.list).filter((item) => item.checkVisibility());
  const at = items.indexOf(from);
  const step = key === "ArrowDown" ? 1 : -1;
  items.at(at < 0 ? Math.min(0, step) : (at + step) % items.length).focus();
}
