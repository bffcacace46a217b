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
// The ledger: rows with one result, and folds that open where an address or the filter leads.
function sift() {
  const filter = document.querySelector(".ledger-filter"), folds = [...document.querySelectorAll(".ledger-fold")];
  if (filter) {
    filter.hidden = false;
    filter.addEventListener("change", (event) => {
      const wanted = event.target.value;
      for (const fold of folds) {
        const rows = [...fold.querySelectorAll("tbody tr")];
        for (const row of rows) row.hidden = wanted && !row.classList.contains(wanted);
        fold.open = Boolean(wanted) && rows.some((row) => !row.hidden);
      }
      reach();
    });
  }
  for (const fold of folds) fold.addEventListener("toggle", reach);
}
addEventListener("load", sift);
