// Completes @names and #tags while somebody writes or searches: a listbox beneath the text. People one writes to or follows
// are shown at once, from what the browser keeps; the server's answer follows, with everybody. In a search box, saved and
// recent searches come first: all of them while it is empty, then those that hold what is typed.

import { find, make, on } from "./page.js";

const WORD = /(?<![\p{L}\p{N}_@#/])[@#][\p{L}\p{N}_]+$/u;
const SEARCHED = /(?<![\p{L}\p{N}_@#/:])[@#]?[\p{L}\p{N}_]+$/u; // a search needs no @
const KEPT_MS = 600_000;
const SHOWN = 8;
const KEPT_SHOWN = 3; // above people and tags
let field;
let list;
let timer;
let wanted; // the word that the server is asked for
let coming; // contacts that are on their way
let searched = []; // saved and recent: [query, name, kind]
let fetched; // whether they have been asked for
let reached; // by arrow keys: stays marked when the answer comes

const searches = () => field.type === "search";
const isSearch = () => searches() && field.form.matches('[action="/search/"]');
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

// Asked for once a page.
async function lookAtSearches() {
  fetched ??= fetch("/complete/searches/").then((answer) => (answer.ok && !answer.redirected ? answer.json() : {}));
  searched = (await fetched.catch(() => ({}))).searches ?? [];
}

function kept() {
  const text = folded(field.value.trim());
  if (!isSearch()) return [];
  const found = searched.filter((names) => names.slice(0, 2).some((it) => folded(it).includes(text)));
  return found.filter(([query]) => query !== field.value.trim()).slice(0, text ? KEPT_SHOWN : SHOWN);
}

async function offerSearches() {
  const asking = field;
  close();
  await lookAtSearches();
  if (field === asking && !field.value.trim() && document.activeElement === field) show([]);
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
  if ("query" in option.dataset) {
    field.value = option.dataset.query;
    return field.form.requestSubmit();
  }
  const end = field.selectionStart;
  field.setRangeText(`${option.dataset.word} `, end - typed().length, end, "end");
  close();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function show(offers) {
  clear();
  const above = kept();
  if (!above.length && !offers.length) return;
  list = make("ul", "completion");
  list.id = "completion";
  list.role = "listbox";
  const options = [...above.map(searchOption), ...offers.map(wordOption)];
  list.append(...options.map((option, at) => {
    option.id = `completion-${at}`;
    option.role = "option";
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

function wordOption([word, name]) {
  const option = make("li", "", word);
  option.dataset.word = word;
  option.prepend(make("bdi", "person-name", name));
  return option;
}

function searchOption([query, name, kind]) {
  const option = make("li", "is-search");
  option.dataset.query = option.dataset.word = query;
  option.append(make("bdi", "", name || query), " ", make("small", "", kind));
  return option;
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
  if (isSearch() && !field.value.trim()) return offerSearches();
  if (!wanted) return close();
  if (isSearch()) lookAtSearches();
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
