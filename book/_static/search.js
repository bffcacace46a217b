// Excerpts in the list of what the search finds: sentences of a page around the words that were typed. Sphinx looks for
// their stems, so that it finds no place for "EASY", and begins with the buttons above the page.
const NO_SENTENCES = "script, style, h1, .headerlink, .reading-time, .cell_input, .panel, details.hide, .mjq-checks";
const LENGTH = 240, BEFORE = 80;

function words(html, anchor) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const node of page.querySelectorAll(NO_SENTENCES)) node.remove();
  for (const fraction of page.querySelectorAll("mfrac")) fraction.children[1]?.before("/"); // in a line
  const place = (anchor && page.getElementById(anchor.slice(1))) || page.querySelector("article");
  return place ? place.textContent.replace(/\s+/g, " ").trim() : "";
}

function excerpt(html, stems, anchor) {
  const text = words(html, anchor), lower = text.toLowerCase();
  if (!text) return null;
  const query = new URLSearchParams(location.search).get("q").trim(), typed = query.toLowerCase();
  const places = [text.indexOf(query), ...[typed, ...typed.split(/\s+/), ...stems].map((word) => lower.indexOf(word))];
  const place = places.find((at) => at >= 0) ?? 0;
  const from = place > BEFORE ? text.indexOf(" ", place - BEFORE) + 1 : 0;
  const paragraph = document.createElement("p");
  paragraph.className = "context";
  paragraph.textContent = (from ? "… " : "") + text.slice(from, from + LENGTH).trim() + (from + LENGTH < text.length ? " …" : "");
  return paragraph;
}

document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search !== "undefined" && Search.makeSearchSummary) Search.makeSearchSummary = excerpt;
});
