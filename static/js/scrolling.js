// Endless pages (htmx loads them): says how many came, and has them again after "back".

import { all, counted, find, isBack, on, say, words } from "./page.js";

const KEY = `pages ${location.pathname}${location.search}`;

on("htmx:after:swap", ({ detail: { ctx } }) => {
  if (!ctx.sourceElement.matches("[rel=next]")) return;
  say(counted(words.more, all("article", all("#main .statuses").at(-1)).length));
});

addEventListener("pagehide", () => {
  const pages = all("#main .statuses:not(#posted)").slice(1);
  sessionStorage.removeItem(KEY);
  if (!pages.length) return;
  const html = [...pages, ...all("#main .pagination")].map((it) => it.outerHTML).join("");
  try {
    sessionStorage[KEY] = JSON.stringify({ html, top: scrollY });
  } catch {
    // no room for all of them
  }
});

const kept = sessionStorage[KEY];
const bottom = find("#main .pagination");
if (kept && bottom && isBack) {
  const { html, top } = JSON.parse(kept);
  bottom.outerHTML = html.replaceAll("data-htmx-powered", "data-was");
  htmx.process(document.body);
  scrollTo({ top, behavior: "instant" });
}
