// "Show password" beside the fields for one. They are hidden again when the form is sent, so that browsers know what to keep.

function show(button, isShown) {
  button.ariaPressed = isShown;
  document.getElementById(button.getAttribute("aria-controls")).type = isShown ? "text" : "password";
}

for (const button of document.querySelectorAll(".reveal")) {
  button.hidden = false;
  button.onclick = () => show(button, button.ariaPressed !== "true");
  button.form.addEventListener("submit", () => show(button, false));
}
