// The live stream on /developers/stream/: shows what the filter finds, and the curl command for it.

const KEPT = 50;

const form = document.getElementById("stream-demo");
const state = document.getElementById("demo-state");
const messages = document.getElementById("demo-messages");
const command = document.getElementById("demo-command");
const stopButton = form.querySelector("[data-stop]");
let connection = null;

function address() {
  const asked = new URLSearchParams();
  for (const name of ["track", "follow"]) {
    const value = form.elements[name].value.trim();
    if (value) asked.set(name, value);
  }
  return `${form.dataset.url}?${asked}`;
}

function showCommand() {
  command.textContent = `curl -N -H "Authorization: Bearer $TOKEN" "${address()}"`;
}

function statusElement(status) {
  const article = document.createElement("article");
  article.className = "status";
  article.id = `status-${status.id_str}`;
  const body = document.createElement("div");
  body.className = "status-body";
  const head = document.createElement("header");
  head.className = "status-head";
  head.textContent = `${status.user.name} @${status.user.screen_name}`;
  const text = document.createElement("p");
  text.className = "status-text";
  text.dir = "auto";
  text.textContent = status.text;
  body.append(head, text);
  article.append(body);
  return article;
}

function show(message) {
  if (message.delete) {
    document.getElementById(`status-${message.delete.status.id_str}`)?.remove();
  } else if (message.disconnect) {
    state.textContent = `Closed: ${message.disconnect.reason}`;
  } else if (message.text !== undefined) {
    messages.prepend(statusElement(message));
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

async function listen() {
  connection?.abort();
  const current = (connection = new AbortController());
  stopButton.hidden = false;
  state.textContent = "Connecting …";
  try {
    const answer = await fetch(address(), {
      headers: { Authorization: `Bearer ${form.elements.token.value.trim()}` },
      signal: current.signal,
    });
    if (answer.ok) {
      state.textContent = "Listening.";
      await readLines(answer.body);
    } else {
      state.textContent = (await answer.json()).error;
    }
  } catch (error) {
    if (connection === current) {
      state.textContent = current.signal.aborted ? "Stopped." : `Not connected: ${error.message}`;
    }
  }
  if (connection === current) stopButton.hidden = true;
}

form.addEventListener("input", showCommand);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  listen();
});
stopButton.addEventListener("click", () => connection?.abort());
