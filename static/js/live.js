// The stream of what happens while a page is open, and the looks at what happened while it was not. What
// comes of it is in `news.js` and `fresh.js`: most pages are left before they need them.

import { find, isBack, on, streams } from "./page.js";

const EVENTS = ["update", "status.update", "delete", "notification", "chat"];
const place = find("#posted[data-live]");
const thread = find(".focus[data-live]");
const news = () => import("./news.js");
const fresh = () => import("./fresh.js");
let stream;
let pause = 1000;

// Only while somebody looks: browsers and the site have few connections to spare.
function connect() {
  if (stream || document.hidden || !find("details.account")) return; // visitors have no home
  stream = new EventSource(`${streams}${place?.dataset.live || "/streaming/home"}`, { withCredentials: true });
  for (const name of EVENTS) stream.addEventListener(name, async ({ data }) => (await news()).take(name, data));
  stream.addEventListener("notification", lookAtThread);
  stream.addEventListener("disconnect", ({ data }) => {
    // Logged out, or a newer page took this one's place: to come back would push that out.
    if ([6, 7].includes(JSON.parse(data).code)) stream.close();
  });
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
  if (place) (await news()).look();
}

async function lookAtThread() {
  if (thread && !document.hidden) (await fresh()).refreshThread();
}

on("visibilitychange", lookAgain);
// The site may have changed since a browser kept this page.
addEventListener("pageshow", async ({ persisted }) => (persisted || isBack) && (await fresh()).refreshAll());
if (thread) setInterval(lookAtThread, 15_000);
if (isBack) lookAgain();
else connect();
