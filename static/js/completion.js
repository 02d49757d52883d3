// Completes @names and #tags while somebody writes or searches: a listbox beneath the text. People one writes to or follows
// are shown at once, from what the browser keeps; the server's answer follows, with everybody.

import { find, make, on } from "./page.js";

const WORD = /(?<![\p{L}\p{N}_@#/])[@#][\p{L}\p{N}_]+$/u;
const SEARCHED = /(?<![\p{L}\p{N}_@#/:])[@#]?[\p{L}\p{N}_]+$/u; // a search needs no @
const KEPT_MS = 600_000;
const SHOWN = 8;
let field;
let list;
let timer;
let wanted; // the word that the server is asked for
let coming; // contacts that are on their way
let reached; // by arrow keys: stays marked when the answer comes

const searches = () => field.type === "search";
const typed = () => field.value.slice(0, field.selectionStart).match(searches() ? SEARCHED : WORD)?.[0];
const asked = (word) => (/^[@#]/.test(word) ? word : `@${word}`);

// Much as the server folds names; where it differs, the server's answer corrects us.
const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

// Of this tab alone; logging out clears it, and a block or a follow drops it (app.js).
async function contacts() {
  const kept = JSON.parse(sessionStorage.contacts ?? "{}");
  if (kept.at > Date.now() - KEPT_MS) return kept.people;
  return (coming ??= fetchContacts().finally(() => (coming = null)));
}

async function fetchContacts() {
  const answer = await fetch("/complete/contacts/").catch(() => null);
  if (!answer?.ok || answer.redirected) return [];
  const { people } = await answer.json();
  sessionStorage.contacts = JSON.stringify({ at: Date.now(), people });
  return people;
}

async function lookAtContacts(word) {
  const beginning = folded(word.replace(/^@/, ""));
  const begins = (name) => folded(name).split(/[^\p{L}\p{N}_]+/u).some((part) => part.startsWith(beginning));
  const isExact = ([username]) => folded(username) === beginning;
  const found = (await contacts()).filter((names) => names.some(begins)).sort((a, b) => isExact(b) - isExact(a));
  if (found.length && wanted === word) show(found.slice(0, SHOWN).map(([username, name]) => [`@${username}`, name]));
}

function close() {
  clearTimeout(timer);
  wanted = null;
  clear();
}

function clear() {
  list?.remove();
  list = null;
  for (const name of ["role", "aria-expanded", "aria-controls", "aria-activedescendant"]) field?.removeAttribute(name);
}

function mark(option) {
  find("[aria-selected=true]", list)?.setAttribute("aria-selected", false);
  option.ariaSelected = true;
  field.setAttribute("aria-activedescendant", option.id);
}

function reach(option) {
  mark(option);
  reached = option.dataset.word;
}

function choose(option) {
  const end = field.selectionStart;
  field.setRangeText(`${option.dataset.word} `, end - typed().length, end, "end");
  close();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function show(offers) {
  clear();
  if (!offers.length) return;
  list = make("ul", "completion");
  list.id = "completion";
  list.role = "listbox";
  list.append(...offers.map(([word, name], at) => {
    const option = make("li", "", word);
    option.id = `completion-${at}`;
    option.role = "option";
    option.dataset.word = word;
    option.prepend(make("bdi", "person-name", name));
    option.onpointerdown = (event) => {
      event.preventDefault(); // the focus stays in the text
      choose(option);
    };
    return option;
  }));
  field.role = "combobox";
  field.ariaExpanded = true;
  field.setAttribute("aria-controls", list.id);
  field.after(list);
  const same = [...list.children].find((option) => option.dataset.word === reached);
  if (same || !searches()) mark(same ?? list.firstChild); // Enter searches, unless somebody has chosen
  if (field.closest("dialog")) list.scrollIntoView({ block: "nearest" });
}

async function look(word) {
  const answer = await fetch(`/complete/?q=${encodeURIComponent(asked(word))}`).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const { people, tags } = await answer.json();
  if (wanted === word && typed() === word) {
    wanted = null;
    show([...people.map((it) => [`@${it.username}`, it.name]), ...tags.map((it) => [`#${it.written}`, ""])]);
  }
}

export function complete(target) {
  field = target;
  clearTimeout(timer);
  reached = null;
  wanted = typed();
  if (!wanted) return close();
  timer = setTimeout(look, 120, wanted);
  if (!wanted.startsWith("#")) lookAtContacts(wanted);
}

on("keydown", (event) => {
  if (event.target !== field) return;
  // Nothing has come yet: nothing will.
  if (!list && wanted && event.key === "Escape") {
    event.preventDefault();
    close();
  }
  if (!list) return;
  const now = find("[aria-selected=true]", list);
  const keys = {
    ArrowDown: () => reach(now?.nextSibling ?? list.firstChild),
    ArrowUp: () => reach(now?.previousSibling ?? list.lastChild),
    Enter: () => choose(now),
    Tab: () => choose(now),
    Escape: close,
  };
  if (!now && ["Enter", "Tab"].includes(event.key)) return close();
  if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  keys[event.key]();
});

on("focusout", close);
