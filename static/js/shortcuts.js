// All shortcuts, from the page that explains them.

import { fetchPage, find, make } from "./page.js";

export async function show() {
  const dialog = make("dialog", "dialog");
  dialog.append(find("#keyboard", await fetchPage("/keyboard/")));
  dialog.onclose = () => dialog.remove();
  document.body.append(dialog);
  dialog.showModal();
}
