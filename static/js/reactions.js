// Likes, boosts, bookmarks, follows, mutes, blocks: in place.

import { cards, hide, showCount } from "./cards.js";
import { all, filled, find, on, parsed, say, send, toast, words } from "./page.js";

// By status and reaction, one after the other: a like and its undoing must not overtake each other.
const last = {};
export let reactionsDone = 0;

on("submit", (event) => {
  const { target: form, submitter } = event;
  const { action, away } = submitter?.dataset ?? {};
  const isFollow = form.matches("[data-account], [data-tag]");
  const isDismissal = form.matches(".dismiss");
  if (!action && away === undefined && !isFollow && !isDismissal) return;
  event.preventDefault();
  if (isFollow) follow(form);
  else if (isDismissal) import("./dismissing.js").then((it) => it.dismiss(form));
  else if (action) react(submitter, action);
  else keepAway(submitter);
});

function react(button, reaction) {
  const { id } = button.closest("article").dataset;
  const wasOn = button.ariaPressed === "true";
  const address = button.formAction;
  press(id, reaction, !wasOn);
  reactionsDone += 1;
  // Another page of the tab learns of it before the site does, if this one is left meanwhile.
  const mark = `sent ${id} ${reaction}`;
  sessionStorage[mark] = !wasOn;
  const sent = async () => {
    if (!(await send(address))) press(id, reaction, wasOn);
    delete sessionStorage[mark];
  };
  last[id + reaction] = last[id + reaction]?.then(sent) ?? sent();
}

export function press(id, reaction, isOn) {
  for (const button of all(`[data-id="${id}"] [data-action=${reaction}][aria-pressed="${!isOn}"]`)) {
    button.ariaPressed = isOn;
    button.setAttribute("formaction", `${button.form.dataset.statuses}${id}/${isOn ? "un" : ""}${reaction}/`);
    const number = +(find(".count", button)?.textContent ?? 0) + (isOn ? 1 : -1);
    // Not for 1.2k.
    if (reaction !== "bookmark" && number >= 0) showCount(button, number);
  }
}

// Mute or block somebody, or mute a conversation: their posts go, until it is undone. The buttons of a profile, which
// shows who is muted or blocked, load it again.
async function keepAway({ formAction, dataset: { away, profile, name, undo } }) {
  if (!(await send(formAction))) return;
  const theirs = cards().filter((card) => find(".status-head .person", card).pathname === profile);
  hide(theirs);
  if (!undo) return toast(words.unmuted);
  toast(filled(words[away], name), async () => {
    if (!(await send(undo))) return;
    for (const card of theirs) card.hidden = false;
  });
}

async function follow(form) {
  const wasFollowed = find(".at-rest", form);
  const answer = await send(form.getAttribute("action"), form);
  if (!answer) return;
  const copies = putButton(await answer.text());
  form = copies.get(form) ?? form;
  if (wasFollowed) toast(words.unfollowed, () => form.requestSubmit());
  else say(find(".at-rest", form)?.textContent);
}

const says = (form) => find("button", form).textContent;
const isSame = ({ dataset: one }, { dataset: other }) => one.account === other.account && one.tag === other.tag;

// The form with the new button, for all forms of the same account or tag.
export function putButton(html) {
  const fresh = find("form", parsed(html));
  const copies = new Map();
  for (const old of all("form.follow")) {
    if (!isSame(old, fresh) || says(old) === says(fresh)) continue;
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
