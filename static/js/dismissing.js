// Somebody who was suggested goes, wherever they stand on the page, until it is undone.

import { all, filled, send, toast, words } from "./page.js";

export async function dismiss(form) {
  const { name, undo } = form.dataset;
  if (!(await send(form.getAttribute("action"), form))) return;
  const rows = all(".dismiss").filter((it) => it.dataset.name === name).map((it) => it.closest("li"));
  for (const row of rows) row.hidden = true;
  const left = all("li:not([hidden]) .dismiss button", form.closest("ul"));
  (left.find((it) => form.compareDocumentPosition(it) & 4) ?? left.at(-1))?.focus(); // 4: it comes after
  toast(filled(words.dismissed, name), async () => {
    if (!(await send(undo, form))) return;
    for (const row of rows) row.hidden = false;
  });
}
