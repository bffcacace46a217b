// Tables that scroll sideways can be reached, and scrolled, with the keyboard.
function reach() {
  for (const table of document.querySelectorAll(".bd-article table"))
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
    else table.removeAttribute("tabindex");
}
// A button that opens a solution says of which exercise.
function name() {
  for (const solution of document.querySelectorAll(".solution")) {
    const title = solution.querySelector(".admonition-title")?.textContent.trim();
    const button = solution.querySelector("button.toggle-button, summary");
    if (title && button) button.setAttribute("aria-label", `Show or hide: ${title}`);
  }
}
addEventListener("load", () => (reach(), name()));
addEventListener("resize", reach);
