// Likes, boosts, bookmarks, follows, mutes, blocks: in place.

import { cards, hide, showCount } from "./cards.js";
import { all, filled, find, on, parsed, say, send, toast, words } from "./page.js";

const WAYS = [
  [/^\/statuses\/(\d+)\/(un)?(like|boost|bookmark)\/$/, react],
  [/^\/(?:@(\w+)|statuses\/\d+)\/(un)?(mute|block|mute_thread)\/$/, keepAway],
  [/\/(un)?follow\/$/, follow],
];
// One after the other: a like and its undoing must not overtake each other.
let last = Promise.resolve();
export let reactionsDone = 0;

on("submit", (event) => {
  const form = event.target;
  const address = event.submitter?.getAttribute("formaction") ?? form.getAttribute("action") ?? "";
  for (const [pattern, way] of WAYS) {
    const parts = address.match(pattern);
    // The page of an account shows who is muted or blocked: it loads again.
    if (!parts || (way === keepAway && form.id !== "act")) continue;
    event.preventDefault();
    way(address, parts, form);
  }
});

function react(address, [, id, un, reaction]) {
  press(id, reaction, !un);
  reactionsDone += 1;
  last = last.then(async () => (await send(address)) || press(id, reaction, !!un));
}

export function press(id, reaction, isOn) {
  const at = `/statuses/${id}/`;
  for (const button of all(`[formaction="${at}${reaction}/"], [formaction="${at}un${reaction}/"]`)) {
    if (button.ariaPressed === `${isOn}`) continue;
    button.ariaPressed = isOn;
    button.setAttribute("formaction", `${at}${isOn ? "un" : ""}${reaction}/`);
    const number = +(find(".count", button)?.textContent ?? 0) + (isOn ? 1 : -1);
    // Not for 1.2k.
    if (reaction !== "bookmark" && number >= 0) showCount(button, number);
  }
}

// Mute or block somebody, or mute a conversation: their posts go, until it is undone.
async function keepAway(address, [, name, un, way]) {
  if (!(await send(address))) return;
  const theirs = cards().filter((card) => find(`.status-head [href="/@${name}/"]`, card));
  hide(theirs);
  if (un) return toast(words.unmuted);
  toast(filled(words[way], name), async () => {
    if (!(await send(address.replace(way, `un${way}`)))) return;
    for (const card of theirs) card.hidden = false;
  });
}

async function follow(address, [, un], form) {
  const answer = await send(address, form);
  if (!answer) return;
  const copies = putButton(await answer.text());
  form = copies.get(form) ?? form;
  if (un) toast(words.unfollowed, () => form.requestSubmit());
  else say(find(".at-rest", form)?.textContent);
}

const says = (form) => find("button", form).textContent;
const followed = (form) => form.getAttribute("action").replace(/(un)?follow\/$/, "");

// The form with the new button, for all forms of the same account or tag.
export function putButton(html) {
  const fresh = find("form", parsed(html));
  const copies = new Map();
  for (const old of all("form.follow")) {
    if (followed(old) !== followed(fresh) || says(old) === says(fresh)) continue;
    const copy = fresh.cloneNode(true);
    copy.elements.next.value = old.elements.next.value;
    const hadFocus = old.contains(document.activeElement);
    old.replaceWith(copy);
    if (hadFocus) find("button", copy).focus();
    showRest(find("button", copy));
    copies.set(old, copy);
  }
  return copies;
}

// Not at once what another click would do, though the pointer or the focus is there still.
function showRest(button) {
  button.classList.add("is-fresh");
  for (const name of ["pointerleave", "blur"])
    button.addEventListener(name, () => button.classList.remove("is-fresh"));
}
