// Keys on the pages of moderators: letters choose what to do, j and k move in the queue. All of it works without a script.

const find = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];
const isOff = document.documentElement.dataset.shortcuts === "off";

function step(by) {
  const links = all(".queue a").filter((it) => it.checkVisibility());
  const here = links.includes(document.activeElement) ? document.activeElement : find(".queue a[aria-current]");
  links[Math.max(0, links.indexOf(here) + (here ? by : 1))]?.focus();
}

function choose(input) {
  input.checked = true;
  input.focus(); // then Enter does it
}

function press(event) {
  const { key, target } = event;
  if (key === "Enter" && (event.ctrlKey || event.metaKey) && target.matches(".measure-form textarea"))
    return target.form.requestSubmit();
  const isTyping = target.matches("textarea, select, input:not([type=radio])");
  if (isOff || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const wanted = key.length === 1 && find(`[data-key="${CSS.escape(key.toUpperCase())}"]`);
  if (wanted) choose(wanted);
  else if (key === "j" || key === "k") step(key === "j" ? 1 : -1);
  else return;
  // Elsewhere on the site these letters mean something else.
  event.preventDefault();
  event.stopImmediatePropagation();
}

function fill(button) {
  const box = find("#reason");
  box.value = button.dataset.words;
  box.focus();
  for (const it of all(".canned button")) it.ariaPressed = it === button;
}

addEventListener("keydown", press, true);
addEventListener("click", (event) => {
  const button = event.target.closest(".canned button");
  if (!button) return;
  event.preventDefault();
  fill(button);
});
