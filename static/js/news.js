// What the stream of a home or a search brings: new posts behind a pill, edits, deletions, the number beside the bell.

import { cards, entryId, focusOn, hide, isHere, notHere } from "./cards.js";
import { keepPlace, showEdit, showUnread } from "./fresh.js";
import { all, counted, fetchPage, find, make, parsed, say, toast, words } from "./page.js";

const place = find("#posted[data-live]");
const reader = find("a[data-profile]")?.pathname;
const MOST = 100; // of a search, whose index may not have them yet
const pill = make("p", "new-posts");
const link = make("a");
const arrived = new Set();
// What the reader has posted since may be newer than others that are not here yet.
let newest = Math.max(0, ...all("#main .statuses:not(#posted) article.status").map(entryId));

const isMine = (card) => find(".status-head .person", card).pathname === reader && !find("[data-boost]", card);

const EVENTS = {
  update(html) {
    arrived.add(entryId(find("article", parsed(html))));
    offerNew();
  },
  "status.update"(html) {
    showEdit(find("article", parsed(html)));
  },
  delete(id) {
    hide(cards().filter((card) => [entryId(card), card.dataset.id].includes(id)));
    arrived.delete(id);
    offerNew();
  },
  notification(json) {
    showUnread(JSON.parse(json).unread);
  },
  async chat(json) {
    (await import("./chats.js")).heard(JSON.parse(json));
  },
};

export const take = (name, data) => EVENTS[name](data);

// For what came while nobody listened. What the reader has written is no news to them.
export async function look() {
  const come = await newCards();
  putAbove(come.filter(isMine));
  for (const card of come) arrived.add(entryId(card));
  offerNew();
}

async function newCards() {
  const { page: address } = place.dataset;
  const page = await fetchPage(address ? `${address}&fresh=${[...arrived].slice(-MOST)}` : `/?since_id=${newest}`);
  return notHere(all("article.status", page));
}

export function offerNew() {
  if (!place) return;
  for (const id of arrived) if (isHere(id)) arrived.delete(id);
  const wasThere = pill.isConnected;
  pill.remove();
  if (!arrived.size) return;
  link.textContent = counted(words.newPosts, arrived.size);
  place.before(pill);
  if (!wasThere) say(link.textContent); // once, not for every post
}

// Returns whether what is being read stays where it is, below them.
function putAbove(come) {
  const isFarDown = place.getBoundingClientRect().top < 0;
  const put = () => place.prepend(...come);
  for (const card of come) card.classList.add("is-new");
  if (isFarDown) keepPlace(put);
  else put();
  return isFarDown;
}

export async function showNew(event) {
  event?.preventDefault();
  if (!arrived.size) return;
  const come = await newCards();
  const isFarDown = putAbove(come);
  newest = Math.max(newest, ...come.map(entryId));
  arrived.clear();
  offerNew();
  focusOn(come[0], { preventScroll: true });
  if (isFarDown && come[0]) toast(counted(words.above, come.length));
}

link.href = place?.dataset.page ?? "/";
link.onclick = showNew;
pill.append(link);
