// What happens while a page is open: new posts, edits, deletions, notifications, counters.

import { cards, entryId, focusOn, hide, showCount } from "./cards.js";
import { all, counted, fetchPage, find, make, on, parsed, say, streams, toast, words } from "./page.js";

const place = find("#posted[data-live]");
const focus = find("[data-counts]");
const pill = make("p", "new-posts");
const link = make("a");
const arrived = new Set();
let newest = Math.max(0, ...cards().map(entryId));
let stream;
let pause = 1000;

const isHere = (id) => cards().some((card) => entryId(card) === id);

const events = {
  update({ data }) {
    arrived.add(entryId(find("article", parsed(data))));
    offerNew();
  },
  "status.update"({ data }) {
    const edited = find("article", parsed(data));
    for (const card of cards()) if (card.id === edited.id) showEdit(card, edited.cloneNode(true));
  },
  delete({ data }) {
    hide(cards().filter((card) => [entryId(card), card.id.slice(7)].includes(data)));
    arrived.delete(data);
    offerNew();
  },
  notification({ data }) {
    showUnread(JSON.parse(data).unread);
  },
  disconnect({ data }) {
    // Logged out, or a newer page took this one's place: to come back would push that out.
    if ([6, 7].includes(JSON.parse(data).code)) stream.close();
  },
};

// Only while somebody looks: browsers and the site have few connections to spare.
function connect() {
  if (stream || document.hidden || !find("details.account")) return; // visitors have no home
  stream = new EventSource(`${streams}/streaming/home`, { withCredentials: true });
  for (const name in events) stream.addEventListener(name, events[name]);
  stream.onopen = () => (pause = 1000);
  stream.onerror = () => {
    if (stream?.readyState !== EventSource.CLOSED) return; // it connects again by itself
    disconnect();
    pause = Math.min(2 * pause, 60_000);
    setTimeout(lookAgain, pause);
  };
}

function disconnect() {
  stream?.close();
  stream = null;
}

// After a time without the stream.
async function lookAgain() {
  if (document.hidden) return disconnect();
  connect();
  if (!place) return;
  for (const card of await newCards()) arrived.add(entryId(card));
  offerNew();
}

async function newCards() {
  const page = await fetchPage(`/?since_id=${newest}`);
  return all("article.status", page).filter((card) => !isHere(entryId(card)));
}

function offerNew() {
  if (!place) return;
  for (const id of arrived) if (isHere(id)) arrived.delete(id);
  const wasThere = pill.isConnected;
  pill.remove();
  if (!arrived.size) return;
  link.textContent = counted(words.newPosts, arrived.size);
  place.before(pill);
  if (!wasThere) say(link.textContent); // once, not for every post
}

// Above what is being read, which stays where it is.
export async function showNew(event) {
  event?.preventDefault();
  if (!arrived.size) return;
  const fresh = await newCards();
  const anchor = cards().find((card) => card.getBoundingClientRect().bottom > 60);
  const top = anchor?.getBoundingClientRect().top;
  const isFarDown = place.getBoundingClientRect().top < 0;
  for (const card of fresh) card.classList.add("is-new");
  place.prepend(...fresh);
  newest = Math.max(newest, ...fresh.map(entryId));
  arrived.clear();
  offerNew();
  focusOn(fresh[0], { preventScroll: true });
  if (!isFarDown || !fresh[0]) return;
  scrollBy({ top: anchor.getBoundingClientRect().top - top, behavior: "instant" });
  toast(counted(words.above, fresh.length));
}

// The reader's own buttons stay as they are.
function showEdit(card, edited) {
  const parts = ".status-body > :not(.status-actions)";
  for (const part of all(parts, card)) part.remove();
  find(".status-body", card).prepend(...all(parts, edited));
}

function showUnread(number) {
  const bell = find('.places [href="/notifications/"]');
  find(".unread-count", bell)?.remove();
  if (!number) return;
  const badge = make("span", "badge unread-count", number > 99 ? "99+" : number);
  badge.append(make("span", "sr-only", ` ${words.unread}`));
  bell.append(badge);
}

async function refreshCounts() {
  if (document.hidden) return;
  const answer = await fetch(focus.dataset.counts).catch(() => null);
  if (!answer?.ok) return;
  const buttons = all(".status-actions > *", focus);
  for (const number of await answer.json()) showCount(buttons.shift(), number);
}

on("visibilitychange", lookAgain);
on("htmx:after:swap", offerNew);
link.href = "/";
link.onclick = showNew;
pill.append(link);
connect();
if (focus) setInterval(refreshCounts, 20_000);
