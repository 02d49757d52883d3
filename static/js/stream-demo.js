// The live stream on /developers/stream/: shows what the filter finds, and the curl command for it.

const KEPT = 50;
// Refusals that pass; all others need another request. 416 means: what was missed is gone.
const PASSING = [416, 420, 503];
const LONGEST_PAUSE = 60;
// A revoked token and a newer connection: to come back would only push that one out.
const FINAL_CODES = [6, 7];

const form = document.getElementById("stream-demo");
const state = document.getElementById("demo-state");
const messages = document.getElementById("demo-messages");
const command = document.getElementById("demo-command");
const sample = document.getElementById("demo-sample");
const stopButton = form.querySelector("[data-stop]");
let connection = null;
let newest = "";
let isOver = false;

// In the reader's language; the stream says its reasons in English.
function say(name, reason = "") {
  state.textContent = state.dataset[name].replace("{reason}", () => reason);
}

function address(since = "") {
  const asked = new URLSearchParams();
  for (const name of ["track", "follow"]) {
    const value = form.elements[name].value.trim();
    if (value) asked.set(name, value);
  }
  if (since) asked.set("since_id", since);
  return `${form.dataset.url}?${asked}`;
}

function showCommand() {
  command.textContent = `curl -N -H "Authorization: Bearer $TOKEN" "${address()}"`;
}

// Cloned, so that a card here looks like those on other pages.
function statusElement(status) {
  const article = sample.content.firstElementChild.cloneNode(true);
  const part = (selector) => article.querySelector(selector);
  const profile = `/@${status.user.screen_name}/`;
  article.id = `status-${status.id_str}`;
  if (status.user.profile_image_url_https) part("img").src = status.user.profile_image_url_https;
  else part(".avatar").replaceChildren([...status.user.name][0] ?? "");
  part(".avatar").classList.add(`hue-${status.user.id % 24}`);
  for (const link of article.querySelectorAll(".avatar, .person")) link.href = profile;
  part("bdi").textContent = status.user.name;
  part(".person > span").textContent = `@${status.user.screen_name}`;
  part(".status-text").textContent = status.text;
  part(".status-time").href = `${profile}${status.id_str}/`;
  const posted = new Date(status.created_at);
  part("time").dateTime = posted.toISOString();
  part("time").textContent = posted.toLocaleTimeString(document.documentElement.lang);
  return article;
}

// Cut after twelve lines: only the browser knows where they end.
function fold(article) {
  const text = article.querySelector(".status-text");
  if (text.scrollHeight <= text.clientHeight + 2) article.querySelector(".unfold").remove();
}

function show(message) {
  if (message.delete) {
    document.getElementById(`status-${message.delete.status.id_str}`)?.remove();
  } else if (message.disconnect) {
    say("closed", message.disconnect.reason);
    isOver = FINAL_CODES.includes(message.disconnect.code);
  } else if (message.text !== undefined) {
    newest = message.event_id_str ?? message.id_str;
    const before = document.getElementById(`status-${message.id_str}`);
    const article = statusElement(message);
    if (before) before.replaceWith(article);
    else messages.prepend(article);
    fold(article);
    while (messages.children.length > KEPT) messages.lastElementChild.remove();
  }
}

async function readLines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\r\n");
    rest = lines.pop();
    for (const line of lines) if (line) show(JSON.parse(line));
  }
}

function credentials() {
  const token = form.elements.token?.value.trim();
  return token ? { headers: { Authorization: `Bearer ${token}` } } : { credentials: "include" };
}

// Read until it ends. Returns the seconds to wait before the next try.
async function readOnce(signal, pause) {
  const answer = await fetch(address(newest), { ...credentials(), signal });
  if (answer.ok) {
    say("listening");
    await readLines(answer.body);
    return 1;
  }
  state.textContent = (await answer.json()).error;
  isOver = !PASSING.includes(answer.status);
  if (answer.status === 416) newest = "";
  return Number(answer.headers.get("Retry-After")) || pause;
}

function wait(seconds, signal) {
  return new Promise((resolve) => {
    setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", resolve);
  });
}

async function listen() {
  connection?.abort();
  const { signal } = (connection = new AbortController());
  stopButton.hidden = false;
  say("connecting");
  isOver = false;
  newest = "";
  for (let pause = 1; !isOver && !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      pause = await readOnce(signal, pause);
    } catch (error) {
      if (!signal.aborted) say("lost", error.message);
    }
    if (!isOver) await wait(pause, signal);
  }
  if (connection.signal !== signal) return;
  if (signal.aborted) say("stopped");
  stopButton.hidden = true;
}

form.addEventListener("input", showCommand);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  listen();
});
stopButton.addEventListener("click", () => connection?.abort());
