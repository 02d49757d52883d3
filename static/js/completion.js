// Completes @names and #tags while somebody writes: a listbox beneath the text.

import { find, make, on } from "./page.js";

const WORD = /(?<![\p{L}\p{N}_@#/])[@#][\p{L}\p{N}_]+$/u;
let field;
let list;
let timer;
let wanted; // the word that is being looked up

const typed = () => field.value.slice(0, field.selectionStart).match(WORD)?.[0];

function close() {
  clearTimeout(timer);
  wanted = null;
  list?.remove();
  list = null;
  for (const name of ["role", "aria-expanded", "aria-controls", "aria-activedescendant"]) field?.removeAttribute(name);
}

function mark(option) {
  find("[aria-selected=true]", list)?.setAttribute("aria-selected", false);
  option.ariaSelected = true;
  field.setAttribute("aria-activedescendant", option.id);
}

function choose(option) {
  const end = field.selectionStart;
  field.setRangeText(`${option.dataset.word} `, end - typed().length, end, "end");
  close();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function show(offers) {
  close();
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
  mark(list.firstChild);
  if (field.closest("dialog")) list.scrollIntoView({ block: "nearest" });
}

async function look(word) {
  const answer = await fetch(`/complete/?q=${encodeURIComponent(word)}`).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const { people, tags } = await answer.json();
  if (wanted === word && typed() === word) {
    show([...people.map((it) => [`@${it.username}`, it.name]), ...tags.map((it) => [`#${it.written}`, ""])]);
  }
}

export function complete(target) {
  field = target;
  clearTimeout(timer);
  wanted = typed();
  if (wanted) timer = setTimeout(look, 120, wanted);
  else close();
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
    ArrowDown: () => mark(now.nextSibling ?? list.firstChild),
    ArrowUp: () => mark(now.previousSibling ?? list.lastChild),
    Enter: () => choose(now),
    Tab: () => choose(now),
    Escape: close,
  };
  if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  keys[event.key]();
});

on("focusout", close);
