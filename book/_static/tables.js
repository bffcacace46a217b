// Tables that scroll sideways can be reached, and scrolled, with the keyboard.
function reach() {
  for (const table of document.querySelectorAll(".bd-article table"))
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
    else table.removeAttribute("tabindex");
}
addEventListener("load", reach);
addEventListener("resize", reach);
