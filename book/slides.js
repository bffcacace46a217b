const slides = [...document.querySelectorAll("section")]

// A slide is filled: words grow where no figure takes the room, and what does not fit is made smaller rather than cut.
// A test says when it becomes too small.
const fill = () => {
  document.body.classList.remove("at-work")  // what is not shown has no size
  for (const body of document.querySelectorAll(".body")) {
    const parts = [body, ...body.querySelectorAll(".columns > *, .formula, pre")]
    const tooLarge = () => body.scrollHeight > 1.01 * body.clientHeight || parts.some(e => e.scrollWidth > e.clientWidth + 1)
    let size = body.querySelector("figure") ? 100 : 145
    do body.style.fontSize = `${size}%`
    while (tooLarge() && (size -= 2) >= 40)
  }
  document.body.classList.add("at-work")
}

const show = k => {
  const to = Math.max(0, Math.min(slides.length - 1, k))
  slides.forEach((slide, j) => slide.classList.toggle("shown", j === to))
  history.replaceState(null, "", "#" + (to + 1))
}
const at = () => slides.findIndex(slide => slide.classList.contains("shown"))
document.body.classList.toggle("with-notes", location.search === "?notes")
show((parseInt(location.hash.slice(1)) || 1) - 1)
document.body.classList.add("at-work")
document.fonts.load("1em Formulas").finally(fill)
addEventListener("hashchange", () => show((parseInt(location.hash.slice(1)) || 1) - 1))
addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return
  const steps = {ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1}
  if (event.key in steps) show(at() + steps[event.key])
  else if (event.key === "Home") show(0)
  else if (event.key === "End") show(slides.length - 1)
  else if (event.key === "n") document.body.classList.toggle("with-notes")
  else return
  event.preventDefault()
})
addEventListener("click", event => show(at() + (event.clientX < innerWidth / 3 ? -1 : 1)))
