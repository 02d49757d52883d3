// Ages go on while a page is open, as in `statuses/html/age.py`; exact times in the reader's zone.

import { all, filled, locale, on, words } from "./page.js";

const MINUTE = 60_000;
const STEPS = Object.entries({ now: MINUTE, minutes: 60, hours: 24, days: 7 });
const format = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "short" });
const exact = (time) => format.format(new Date(time.dateTime));

function refresh() {
  for (const time of all(".status-time time")) {
    let age = Date.now() - new Date(time.dateTime);
    for (const [name, length] of STEPS) {
      if (age < length) {
        time.textContent = filled(words[name], Math.floor(age));
        break;
      }
      age /= length; // after a week, the date stays
    }
  }
}

// The time itself is under the pointer; its link has the focus.
function explain({ target }) {
  const time = target.parentNode?.querySelector?.("time");
  if (time?.dateTime.includes("T")) time.title ||= exact(time);
}

for (const time of all(":is(.status-meta, .versions) time")) time.textContent = exact(time);
on("pointerover", explain);
on("focusin", explain);
setInterval(refresh, MINUTE);
