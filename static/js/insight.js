// The open dashboard: a stream says what has changed, and the parts change where they are. Times are written in the zone
// of the reader.

import { all, fetchPage, find, locale, on, streams } from "./page.js";

const live = find("#live");
const pause = find("#pause");
const OPEN_TABLES = ".plot-table[open] table[id]";
const FORMATS = {
  second: { timeStyle: "medium" },
  minute: { timeStyle: "short" },
  hour: { month: "short", day: "numeric", hour: "numeric", minute: "numeric" },
  day: { month: "short", day: "numeric", timeZone: "UTC" },
};
const formats = Object.fromEntries(
  Object.entries(FORMATS).map(([name, options]) => [name, new Intl.DateTimeFormat(locale, options)]),
);
let stream;
let again;

function writeTimes(root = document) {
  for (const time of all("time[data-shows]", root)) {
    time.textContent = formats[time.dataset.shows].format(new Date(time.dateTime));
  }
}

function show(words, isLive) {
  const time = find("time", live);
  find(".live-state span", live).textContent = words;
  live.classList.toggle("is-live", isLive);
  if (isLive) time.dateTime = new Date().toISOString();
  writeTimes(live);
}

// What has the focus stays where it is: links of the same address are the same.
function put(parts) {
  for (const [id, html] of Object.entries(parts)) {
    const place = document.getElementById(id);
    const focused = place?.contains(document.activeElement) && document.activeElement.getAttribute("href");
    if (!place) continue;
    place.innerHTML = html;
    writeTimes(place);
    if (focused) find(`[href="${CSS.escape(focused)}"]`, place)?.focus();
  }
  show(live.dataset.live, true);
}

// Rows are fetched for those who have them open.
async function refreshTables() {
  const open = all(OPEN_TABLES);
  if (!open.length) return;
  const page = await fetchPage(location.href);
  for (const table of open) {
    const rows = find(`#${table.id} tbody`, page);
    if (!rows) continue;
    writeTimes(rows);
    find("tbody", table).replaceWith(rows);
  }
}

function connect() {
  clearTimeout(again);
  if (stream || document.hidden || pause.ariaPressed === "true") return;
  stream = new EventSource(`${streams}${live.dataset.stream}`, { withCredentials: true });
  stream.addEventListener("parts", ({ data }) => {
    put(JSON.parse(data));
    refreshTables().catch(() => {});
  });
  stream.addEventListener("disconnect", ({ data }) => {
    // Without the right, or a newer page took this one's place: to come back would not help.
    if ([6, 7].includes(JSON.parse(data).code)) stop(live.dataset.paused);
  });
  stream.onerror = () => {
    show(live.dataset.waiting, false);
    if (stream?.readyState !== EventSource.CLOSED) return; // it connects again by itself
    stop(live.dataset.waiting);
    again = setTimeout(connect, 30_000);
  };
}

function stop(words) {
  stream?.close();
  stream = null;
  show(words, false);
}

writeTimes();
const hint = find("[data-zone]");
if (hint) hint.textContent = hint.dataset.zone;
if (live) {
  pause.classList.add("is-there");
  pause.addEventListener("click", () => {
    pause.ariaPressed = String(pause.ariaPressed !== "true");
    if (pause.ariaPressed === "true") stop(live.dataset.paused);
    else connect();
  });
  on("visibilitychange", () => (document.hidden ? stop(live.dataset.paused) : connect()));
  connect();
}
