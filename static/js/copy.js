// Buttons that copy what the page shows. Where a browser does not let us, they select it instead.

function select(element) {
  getSelection().selectAllChildren(element);
}

async function copy(element) {
  try {
    await navigator.clipboard.writeText(element.innerText);
    return "copied";
  } catch {
    select(element); // no permission, or no clipboard without HTTPS
    return document.execCommand("copy") ? "copied" : "selected";
  }
}

for (const button of document.querySelectorAll("[data-copy]")) {
  const said = button.parentElement.querySelector("[role=status]");
  button.hidden = false;
  button.onclick = async () => {
    const outcome = await copy(document.getElementById(button.dataset.copy));
    said.textContent = "";
    // In a turn of its own: the same words are announced again.
    setTimeout(() => (said.textContent = button.dataset[outcome]));
  };
}
