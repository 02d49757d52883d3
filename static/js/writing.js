// Writing in a dialog over the page (`templates/statuses/_dialog.html`), so that nobody leaves what they read.

import { complain, follow, graft, keep, others, restore } from "./compose.js";
import { all, fetchPage, find, make, words } from "./page.js";

// `card` is what is answered. The dialog is open by now, and may even be closed again.
export async function fill(dialog, card) {
  const form = find(".composer", dialog);
  form.dataset.draft = card ? `reply ${card.dataset.id}` : "post";
  restore(form);
  keep(form);
  if (!dialog.open) return leave(dialog);
  if (card) form.before(quoted(card));
  closeWithBack(dialog, card);
  find("textarea", form).focus(); // in sight, below what is quoted
  const query = card ? `?reply_to=${card.dataset.id}` : "";
  const page = await fetchPage(`${dialog.dataset.compose}${query}`).catch(() => null);
  const fresh = page && find(".composer", page);
  if (fresh) graft(form, fresh);
  else complain(form, page ? page.body.textContent : words.failed);
}

// As a picture of the card: what it links to would lead away from the page.
function quoted(card) {
  const copy = card.cloneNode(true);
  copy.removeAttribute("id");
  for (const it of all(".status-actions, .status-context, .status-meta, .status-counts", copy)) it.remove();
  for (const link of all("a", copy)) {
    const span = make("span", link.className);
    span.append(...link.childNodes);
    link.replaceWith(span);
  }
  return copy;
}

function closeWithBack(dialog, card) {
  if (history.state?.writing === undefined) history.pushState({ writing: card?.id ?? "" }, "");
  const close = () => dialog.close();
  addEventListener("popstate", close);
  dialog.onclose = () => {
    removeEventListener("popstate", close);
    leave(dialog);
    if (history.state?.writing !== undefined) history.back();
  };
}

// The same draft may stand in a form of the page.
function leave(dialog) {
  const form = find(".composer", dialog);
  dialog.remove();
  for (const other of others(form)) follow(other);
}
