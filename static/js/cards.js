// The articles of statuses on the page.

import { all, find, make } from "./page.js";

export const cards = () => all("#main article.status").filter((card) => card.checkVisibility());

// The id in the timeline: that of the boost, where somebody boosted it.
export const entryId = (card) => find("[data-boost]", card)?.dataset.boost ?? card.id.slice(7);

export function focusOn(card, options) {
  if (!card) return;
  card.tabIndex = -1;
  card.focus(options);
}

// If the focus is in one of them, it goes to the next card.
export function hide(gone) {
  const shown = cards();
  const at = gone.find((card) => card.contains(document.activeElement));
  for (const card of gone) card.hidden = true;
  if (at) focusOn(shown.slice(shown.indexOf(at)).find((card) => !card.hidden));
}

export function showCount(button, number) {
  find(".count", button)?.remove();
  if (number) button.append(make("span", "count", number));
}
