// Tables and formulas that scroll sideways can be reached, and scrolled, with the keyboard. All are measured first: each
// change would make the browser lay out the page once more.
function reach() {
  const boxes = [...document.querySelectorAll(".bd-article :is(table, .formula)")];
  const wide = boxes.map((box) => box.scrollWidth > box.clientWidth);
  boxes.forEach((box, k) => {
    if (wide[k]) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
}
// A button that opens a solution says of which exercise.
function name() {
  for (const solution of document.querySelectorAll(".solution")) {
    const title = solution.querySelector(".admonition-title")?.textContent.trim();
    const button = solution.querySelector("button.toggle-button, summary");
    if (title && button) button.setAttribute("aria-label", `Show or hide: ${title}`);
  }
}
// Columns of sentences and long headings keep a width at which they can be read, and those of short entries do not wrap:
// a wide table scrolls and is not endless. On a phone, one of sentences in three columns or more becomes a list: each of
// its cells says what it is, and empty ones are not there.
function widen() {
  for (const table of document.querySelectorAll(".bd-article table")) {
    for (const head of table.querySelectorAll("th")) if (head.textContent.trim().length > 12) head.classList.add("long");
    const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
    const rows = [...table.querySelectorAll("tbody tr")].map((row) => [...row.children]);
    for (let k = 0; k < Math.max(...rows.map((row) => row.length)); k++) {
      const longest = Math.max(...rows.map((row) => row[k]?.textContent.trim().length ?? 0));
      const kind = longest > 60 ? "sentences" : longest > 24 ? "words" : longest <= 12 ? "short" : "";
      if (kind) for (const row of rows) row[k]?.classList.add(kind);
    }
    if (heads.length > 2 && table.querySelector(".sentences")) {
      table.classList.add("listed");
      for (const row of rows) row.forEach((cell, k) => cell.textContent.trim() && (cell.dataset.head = heads[k]));
    }
  }
}
// Options of commands, and what a cell printed in columns: the style sheet breaks neither. Names of files and commands
// in tables break behind signs.
function keep() {
  for (const word of document.querySelectorAll(".bd-article code .pre"))
    if (word.textContent.startsWith("--")) word.classList.add("option");
    else if (word.closest("td")) word.innerHTML = word.innerHTML.replace(/[/_=]/g, "$&<wbr>");
  for (const box of document.querySelectorAll(".bd-article .cell_output pre"))
    if (/\S {2,}\S.*\n.*\S {2,}\S/.test(box.textContent)) box.classList.add("columns");
}
// What folds, panels and formulas do to the page moves the place that an address leads to: it is shown again until the
// page is at rest or the reader moves.
function settle() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const show = () => target.scrollIntoView({ behavior: "instant" });
  const watch = new ResizeObserver(show), stop = new AbortController();
  const end = () => (watch.disconnect(), stop.abort());
  for (const act of ["wheel", "touchstart", "keydown", "pointerdown", "popstate"])
    addEventListener(act, end, { passive: true, signal: stop.signal });
  setTimeout(end, 4000);
  watch.observe(document.body);
}
addEventListener("DOMContentLoaded", () => (widen(), keep()));
addEventListener("load", () => (reach(), name()));
// A page that is loaded again, or that the way back leads to, stays where the reader was.
addEventListener("load", () => performance.getEntriesByType("navigation")[0]?.type === "navigate" && settle());
addEventListener("click", (event) => event.target.closest?.('a[href*="#"]') && setTimeout(settle, 50));
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
