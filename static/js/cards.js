// The articles of statuses on the page.

import { all, find, make } from "./page.js";

const everyCard = () => all("#main article.status");
export const cards = () => everyCard().filter((card) => card.checkVisibility());

// The id in the timeline: that of the boost, where somebody boosted it.
export const entryId = (card) => find("[data-boost]", card)?.dataset.boost ?? card.dataset.id;

// Also if it is hidden: no status comes twice.
export const isHere = (id) => everyCard().some((card) => entryId(card) === id);
export const notHere = (fresh) => fresh.filter((card) => !isHere(entryId(card)));

// The card that somebody went to by keyboard. Shortcuts that others get to see act on no other.
let chosen;
let isTab;
export const choose = (card) => (chosen = card);
export const chosenCard = () => (chosen?.contains(document.activeElement) ? chosen : null);
addEventListener("pointerdown", () => (chosen = isTab = null), true);
addEventListener("keydown", ({ key }) => (isTab = key === "Tab"), true);
addEventListener("focusin", ({ target }) => isTab && choose(target.closest("article.status")));

export function focusOn(card, options) {
  if (!card) return;
  card.tabIndex = -1;
  card.focus(options);
}

// If the focus is in one of them, it goes to the next card, or to what they were part of: left to itself, the
// browser takes it away later, from where the reader went in the meantime.
export function hide(gone) {
  const shown = cards();
  const at = gone.find((card) => card.contains(document.activeElement));
  for (const card of gone) card.hidden = true;
  if (at) focusOn(shown.slice(shown.indexOf(at)).find((card) => !card.hidden) ?? find("#main"));
}

export function showCount(button, number) {
  find(".count", button)?.remove();
  if (number) button.append(make("span", "count", number));
}
