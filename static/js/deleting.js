// Deletes a post unless it is undone: the request waits until the toast ends. It leaves with the page, whatever becomes of
// that, and a page that comes later sends what an earlier one could not.

import { cards, hide } from "./cards.js";
import { find, request, say, toast, words } from "./page.js";

const KEY = "deleting";
// As long as a toast stands.
const HELD = 4400;
let pending;
let hidden = [];

const keep = () => (localStorage[KEY] = JSON.stringify(pending));

export function begin(link) {
  finish(); // one at a time
  const id = link.dataset.delete;
  const own = find(`.focus [data-id="${id}"]`);
  const fields = new URLSearchParams(new FormData(find("#act")));
  const onward = own ? pageBefore() ?? find(".status-head .person", own).pathname : fields.get("next");
  fields.set("next", onward);
  pending = { id, address: link.pathname, body: `${fields}`, until: Date.now() + HELD };
  keep();
  if (!own) return hold();
  pending = null; // the next page goes on with it
  location.replace(onward);
}

// Where the reader came from, in the place of a page that will be gone.
function pageBefore() {
  const { origin, pathname, search } = new URL(document.referrer || "about:blank");
  return origin === location.origin && pathname !== location.pathname ? pathname + search : null;
}

// On a page after one that could not finish.
export function resume() {
  pending = JSON.parse(localStorage[KEY]);
  if (pending.until > Date.now()) hold();
  else finish();
}

function hold() {
  hidden = cards().filter((card) => card.dataset.id === pending.id);
  hide(hidden);
  toast(words.deleting, undo, finish);
}

function undo() {
  localStorage.removeItem(KEY);
  pending = null;
  for (const card of hidden) card.hidden = false;
}

async function finish() {
  // Another tab may have undone it.
  if (!pending || !localStorage[KEY]) return;
  const { address, body } = pending;
  pending.until = 0; // no page offers to undo it from now on
  keep();
  pending = null;
  const options = { method: "POST", body: new URLSearchParams(body), keepalive: true };
  const answer = await request(address, options).catch(() => null);
  localStorage.removeItem(KEY);
  // 404: it is gone.
  if (answer?.ok || answer?.status === 404) return say(words.deleted);
  for (const card of hidden) card.hidden = false;
}

// Logged out, it could no longer be sent.
addEventListener("submit", async (event) => {
  if (!pending || !event.target.matches('[action="/logout/"]')) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  await finish();
  event.target.requestSubmit(event.submitter);
}, true);

addEventListener("pagehide", finish);
addEventListener("visibilitychange", () => document.hidden && finish());
