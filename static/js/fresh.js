// The page as it is now: what the reader has pressed, counters, edits, deletions, new replies. For pages
// that a browser shows again as they were, and for open threads.

import { cards, entryId, hide, showCount } from "./cards.js";
import { reactionsDone, press, putButton } from "./reactions.js";
import { all, counted, fetchPage, find, make, now, say, words } from "./page.js";

const REACTIONS = ["boost", "like", "bookmark"];
const MOST = 100; // in one request
const ON_ITS_WAY_MS = 1500;

const replies = (card) => find("[data-action=reply] .count", card)?.textContent;
const accounts = () => all("form[data-account]").map((form) => form.dataset.account);

// After "back". What was on its way to the site then has come a moment later.
export async function refreshAll() {
  const sent = Object.keys(sessionStorage).filter((it) => it.startsWith("sent "));
  const shown = cards();
  const people = [...new Set(accounts())].slice(0, MOST);
  await refresh(shown.slice(0, MOST), people);
  for (let at = MOST; at < shown.length; at += MOST) await refresh(shown.slice(at, at + MOST));
  if (!sent.length) return;
  await new Promise((done) => setTimeout(done, ON_ITS_WAY_MS));
  for (const mark of sent) delete sessionStorage[mark];
  await refreshAll();
}

// What can be seen of an open thread.
export function refreshThread() {
  const isInSight = ({ top, bottom }) => bottom > 0 && top < innerHeight;
  const shown = cards().filter((card) => card.closest(".focus") || isInSight(card.getBoundingClientRect()));
  return refresh(shown.slice(0, MOST));
}

async function refresh(shown, people = []) {
  const before = reactionsDone;
  const query = new URLSearchParams({ statuses: shown.map(entryId), people });
  const answer = await fetch(`${now}?${query}`).catch(() => null);
  if (!answer?.ok) return;
  const state = await answer.json();
  if (before !== reactionsDone) return refresh(shown, people); // the answer may not know of that
  const answered = shown.map(replies);
  hide(shown.filter((card) => !state.statuses[entryId(card)]));
  for (const card of shown) await show(card, state.statuses[entryId(card)]);
  for (const html of Object.values(state.people ?? {})) putButton(html);
  if ("unread" in state) showUnread(state.unread);
  if (find("#replies") && shown.some((card, at) => replies(card) !== answered[at])) await showReplies();
}

async function show(card, state) {
  if (!state || !find(".status-actions", card)) return;
  for (const reaction of REACTIONS) {
    const sent = sessionStorage[`sent ${card.dataset.id} ${reaction}`];
    press(card.dataset.id, reaction, sent ? sent === "true" : state.pressed.includes(reaction));
  }
  for (const [action, number] of Object.entries(state.counts)) showCount(find(`[data-action=${action}]`, card), number);
  if (state.edited === +(card.dataset.edited ?? 0)) return;
  const page = await fetchPage(find(".status-time", card).href);
  const edited = find(`#${card.id}`, page);
  if (edited) showEdit(edited);
}

// The reader's own buttons stay as they are.
export function showEdit(edited) {
  const parts = ".status-body > :not(.status-actions, .status-meta, .status-counts)";
  for (const card of cards()) {
    if (card.id !== edited.id) continue;
    for (const part of all(parts, card)) part.remove();
    find(".status-body", card).prepend(...all(parts, edited.cloneNode(true)));
    card.dataset.edited = edited.dataset.edited;
  }
}

// Where they belong in the thread; what is being read stays where it is.
async function showReplies() {
  const list = find("#replies .thread:not(#posted)") ?? find("#posted");
  const page = await fetchPage(location.pathname + location.search);
  const come = [];
  let last;
  keepPlace(() => {
    for (const entry of all("#replies .thread-entry:has(article)", page)) {
      const card = find("article", entry);
      const here = document.getElementById(card.id);
      const before = here?.closest(".thread-entry");
      if (before) before.className = entry.className;
      if (here) last = before ?? last;
      else {
        if (last) last.after(entry);
        else list.prepend(entry);
        card.classList.add("is-new");
        come.push((last = entry));
      }
    }
  });
  if (come.length) say(counted(words.more, come.length));
}

// What is being read stays where it is while something comes above it.
export function keepPlace(change) {
  const anchor = cards().find((card) => card.getBoundingClientRect().bottom > 60);
  const top = anchor?.getBoundingClientRect().top;
  change();
  if (anchor) scrollBy({ top: anchor.getBoundingClientRect().top - top, behavior: "instant" });
}

export function showUnread(number) {
  const bell = find('.places [href="/notifications/"]');
  find(".unread-count", bell)?.remove();
  if (!number) return;
  const badge = make("span", "badge unread-count", number > 99 ? "99+" : number);
  badge.append(make("span", "sr-only", ` ${words.unread}`));
  bell.append(badge);
}
