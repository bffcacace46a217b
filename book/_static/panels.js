// Live panels and self-checks. A page queues its panels in `mjqPanels`; all of a panel's numbers come from its own file
// in book/panels. A classic script without requests: it runs from file://.
(() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const HEIGHT = 270;
  const LOWEST = 84;
  const NARROWEST = 280;
  const PHONE = 480; // a chart below this width is low, so that it is seen together with its sliders

  /** The frame of a chart. Where it is narrow, what the upright axis says stands above it and not at its side. */
  function frame(width) {
    return width < PHONE
      ? { left: 42, right: 14, top: 22, bottom: 36, beside: false }
      : { left: 62, right: 26, top: 12, bottom: 46, beside: true };
  }

  function element(tag, attributes = {}, ...content) {
    return filled(document.createElement(tag), attributes, content);
  }

  function shape(tag, attributes = {}, ...content) {
    return filled(document.createElementNS(SVG, tag), attributes, content);
  }

  function filled(node, attributes, content) {
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...content);
    return node;
  }

  /** A number as it is shown to a reader. */
  function shown(x, digits = 3) {
    if (!Number.isFinite(x)) return x > 0 ? "∞" : "–";
    return x.toLocaleString("en", { maximumSignificantDigits: digits }).replace("-", "−");
  }

  const PARTS = [[1 / 10, "a tenth"], [1 / 5, "a fifth"], [1 / 4, "a quarter"], [1 / 3, "a third"], [1 / 2, "half"], [2 / 3, "two thirds"], [3 / 4, "three quarters"], [2, "twice"]];

  /** A ratio in words: "as long", "2.5 times as long", "about twice as long", "about a third as long", "86 % as long", and roughly "more than a third as long". */
  function times(ratio, word, digits = 3, roughly = false) {
    if (Math.abs(ratio - 1) < 0.005) return `as ${word}`;
    const near = PARTS.find(([part]) => Math.abs(ratio / part - 1) < 0.08);
    const below = roughly && ratio < 0.85 && PARTS.findLast(([part]) => part < ratio);
    if (below && !near) return `more than ${below[1]} as ${word}`;
    return `${near ? `about ${near[1]}` : ratio > 1 ? `${shown(ratio, digits)} times` : `${shown(100 * ratio, 2)} %`} as ${word}`;
  }

  // --- What panels compute with ---

  /** So many numbers from low to high, evenly spaced, or evenly in their logarithms. */
  function spaced(low, high, count, log = false) {
    if (log) return spaced(Math.log(low), Math.log(high), count).map(Math.exp);
    return Array.from({ length: count }, (_, k) => low + ((high - low) * k) / (count - 1));
  }

  /** The polynomial through values at Chebyshev points of the second kind on [0, 1], by the barycentric formula. */
  function polynomial(values, x) {
    let above = 0, below = 0;
    const last = values.length - 1;
    for (let k = 0; k <= last; k++) {
      const distance = x - (1 - Math.cos((Math.PI * k) / last)) / 2;
      if (distance === 0) return values[k];
      const weight = ((k % 2 ? -1 : 1) * (k === 0 || k === last ? 0.5 : 1)) / distance;
      above += weight * values[k];
      below += weight;
    }
    return above / below;
  }

  /** The same in several variables; `values` is an array of arrays, a level a variable. */
  function interpolated(values, [x, ...others]) {
    return polynomial(others.length ? values.map((inner) => interpolated(inner, others)) : values, x);
  }

  /** Servers of each job [need, start, finish], the lowest that are free; it may be in several pieces [from, to]. */
  function seated(jobs, servers) {
    const busyUntil = Array(servers).fill(-Infinity), pieces = jobs.map(() => []);
    const order = jobs.map((_, k) => k).sort((a, b) => jobs[a][1] - jobs[b][1] || a - b);
    for (const k of order) {
      let [left, start, finish] = jobs[k];
      for (let server = 0; server < servers && left; server++) {
        if (busyUntil[server] > start) continue;
        busyUntil[server] = finish;
        left -= 1;
        const piece = pieces[k][pieces[k].length - 1];
        if (piece && piece[1] === server) piece[1] += 1;
        else pieces[k].push([server, server + 1]);
      }
    }
    return pieces;
  }

  // --- Charts ---

  /** Places of the marks of an axis. */
  function ticks({ min, max, log, whole }, room) {
    if (log) {
      const decades = Math.log10(max / min);
      const steps = decades <= 2 ? [1, 2, 5] : [1];
      const found = [], every = Math.max(1, Math.ceil(decades / room));
      for (let k = Math.floor(Math.log10(min)); k <= Math.ceil(Math.log10(max)); k += every)
        for (const step of steps) found.push(step * 10 ** k);
      return found.filter((x) => x >= min * 0.999 && x <= max * 1.001);
    }
    const rough = Math.max((max - min) / room, whole ? 1 : 0), unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((x) => x * unit).find((x) => x >= rough * 0.999);
    const found = [];
    for (let k = Math.ceil(min / step - 1e-9); k * step <= max + 1e-9 * step; k++) found.push(k * step || 0); // no -0
    return found;
  }

  /** A function from numbers to places along an axis. */
  function scale({ min, max, log }, from, to) {
    const place = log ? Math.log : (x) => x;
    return (x) => from + ((to - from) * (place(x) - place(min))) / (place(max) - place(min));
  }

  /** The limits of an axis that were not given: those of what is drawn. */
  function limits(axis, values) {
    const finite = values.filter(Number.isFinite);
    const { min = Math.min(...finite), max = Math.max(...finite) } = axis, room = (max - min) * 0.06;
    return { ...axis, min, max: "max" in axis ? max : max > min ? max + room : min + 1 };
  }

  function path(points, x, y) {
    let pen = "M", line = "";
    for (const [u, v] of points) {
      if (!Number.isFinite(v)) pen = "M";
      else {
        line += `${pen}${x(u).toFixed(1)} ${y(v).toFixed(1)}`;
        pen = "L";
      }
    }
    return line;
  }

  /** A chart as SVG: {x, y, lines, boxes, points, rules}, each with a `kind` 0 … 4 for its colour and dashes. */
  function chart({ x, y, height = HEIGHT, lines = [], boxes = [], points = [], rules = [] }, width, text) {
    x = limits(x, lines.flatMap((line) => line.points.map((p) => p[0])));
    y = limits(y, [...lines.flatMap((line) => line.points.map((p) => p[1])), ...points.map((p) => p.y)]);
    const margin = frame(width), right = width - margin.right, bottom = height - margin.bottom;
    const across = scale(x, margin.left, right), up = scale(y, bottom, margin.top);
    const svg = shape("svg", { role: "img", width, height, viewBox: `0 0 ${width} ${height}`, "aria-label": text });
    for (const t of ticks(x, Math.max(3, Math.floor(width / 75)))) {
      svg.append(shape("path", { class: "grid", d: `M${across(t)} ${margin.top}V${bottom}` }));
      const words = shown(t), farthest = width - 4 * words.length; // half of their width: the last mark is not cut
      const place = { x: Math.min(across(t), farthest), y: bottom + (margin.beside ? 18 : 15) };
      svg.append(shape("text", { ...place, "text-anchor": "middle" }, words));
    }
    for (const t of y.bare ? [] : ticks(y, margin.beside ? 5 : 3)) {
      svg.append(shape("path", { class: "grid", d: `M${margin.left} ${up(t)}H${right}` }));
      svg.append(shape("text", { x: margin.left - 6, y: up(t) + 4, "text-anchor": "end" }, shown(t)));
    }
    svg.append(shape("path", { class: "frame", d: `M${margin.left} ${margin.top}V${bottom}H${right}` }));
    svg.append(shape("text", { x: (margin.left + right) / 2, y: height - (margin.beside ? 8 : 4), "text-anchor": "middle" }, x.label));
    const aside = margin.beside
      ? { x: -(margin.top + bottom) / 2, y: 14, transform: "rotate(-90)", "text-anchor": "middle" }
      : { x: 2, y: 12 };
    svg.append(shape("text", aside, y.label));
    const inside = shape("svg", { // what reaches beyond the axes is cut
      x: margin.left, y: margin.top, width: right - margin.left, height: bottom - margin.top,
      viewBox: `${margin.left} ${margin.top} ${right - margin.left} ${bottom - margin.top}`,
    });
    for (const box of boxes) {
      const [left, end] = box.x.map(across), [foot, top] = box.y.map(up);
      const look = { class: `box k${box.kind}`, x: left, y: top, width: Math.max(0, end - left), height: foot - top };
      inside.append(shape("rect", look));
      const middle = { class: "inbox", x: (left + end) / 2, y: (foot + top) / 2 + 4, "text-anchor": "middle" };
      if (box.text && end - left > 7 * box.text.length && foot - top > 11) inside.append(shape("text", middle, box.text));
    }
    for (const rule of rules) {
      const at = "x" in rule ? `M${across(rule.x)} ${margin.top}V${bottom}` : `M${margin.left} ${up(rule.y)}H${right}`;
      inside.append(shape("path", { class: `rule k${rule.kind ?? 4}`, d: at }));
    }
    for (const line of lines)
      inside.append(shape("path", { class: `line k${line.kind}${line.dashed ? " dashed" : ""}`, d: path(line.points, across, up) }));
    svg.append(inside);
    for (const point of points)
      if (Number.isFinite(point.y) && point.y >= y.min && point.y <= y.max)
        svg.append(shape("circle", { class: `point k${point.kind}`, cx: across(point.x), cy: up(point.y), r: 5 }));
    return svg;
  }

  /** What the colours and dashes of a chart mean. */
  function legend({ lines = [], boxes = [], rules = [] }, seen = new Set()) {
    const list = element("ul", { class: "panel-legend" });
    for (const thing of [...lines, ...boxes, ...rules]) {
      if (!thing.name || seen.has(thing.name)) continue;
      seen.add(thing.name);
      const sample = thing.points
        ? shape("path", { class: `line k${thing.kind}${thing.dashed ? " dashed" : ""}`, d: "M0 6H26" })
        : boxes.includes(thing)
          ? shape("rect", { class: `box k${thing.kind}`, x: 6, y: 0, width: 14, height: 12 })
          : shape("path", { class: `rule k${thing.kind ?? 4}`, d: "M13 -1V13" });
      const svg = shape("svg", { width: 26, height: 12, viewBox: "0 0 26 12", "aria-hidden": "true" }, sample);
      list.append(element("li", {}, svg, ` ${thing.name}`));
    }
    return list.childElementCount ? [list] : [];
  }

  // --- Panels ---

  /** The value that a slider hands over, from its position. */
  function valueOf(slider, position) {
    const value = slider.log ? 10 ** position : position;
    return slider.whole ? Math.round(value) : value;
  }

  function named(slider, value, digits = 3) {
    if (slider.names.length) return slider.names[value];
    const unit = value === 1 ? slider.unit.replace(/^(\w+)s\b/, "$1") : slider.unit; // 1 server
    return `${shown(value, digits)}${unit && ` ${unit}`}`;
  }

  /** One slider, or a choice where its values have names: a labelled input with its output. */
  function control(panel, slider, changed) {
    const id = `panel-${panel.name}-${slider.name}`, label = element("label", { for: id }, slider.label);
    const choices = slider.names.map((name, value) => element("option", { value }, name));
    const input = choices.length
      ? element("select", { id }, ...choices)
      : element("input", { type: "range", id, min: slider.min, max: slider.max, step: slider.step });
    input.value = slider.start;
    const output = element("output", { for: id });
    const row = element("div", { class: "panel-slider" }, label, input, ...(choices.length ? [] : [output]));
    let exact = null; // a value between two steps, until the slider is moved
    const read = () => {
      const value = exact ?? valueOf(slider, Number(input.value));
      output.textContent = named(slider, value);
      if (!choices.length) input.setAttribute("aria-valuetext", output.textContent);
      return value;
    };
    const set = (value) => {
      exact = value;
      input.value = slider.log ? Math.log10(value) : value;
    };
    input.addEventListener("input", () => ((exact = null), changed(slider.name)));
    return { row, read, set, input, slider };
  }

  /** Charts with their legends below, in which a name is told once; on a phone several are lower than one. */
  function gallery(pictures, width, summary) {
    const part = width < PHONE ? (pictures.length > 1 ? 0.62 : 0.74) : 1, seen = new Set();
    return pictures.flatMap((one) => {
      const full = one.height ?? HEIGHT, height = Math.round(Math.max(full * part, Math.min(full, LOWEST)));
      return [chart({ ...one, height }, width, `${one.title}. ${summary}`), ...legend(one, seen)];
    });
  }

  /** The values of a panel that an address holds: ?panel-NAME=slider:value,slider:value */
  function addressed(name, search) {
    const pairs = (new URLSearchParams(search).get(`panel-${name}`) ?? "").split(",").map((pair) => pair.split(":"));
    return Object.fromEntries(pairs.filter(([, value]) => value).map(([slider, value]) => [slider, Number(value)]));
  }

  /** Put the values of a panel into the address, without a new entry in the history. */
  function address(name, values) {
    const search = new URLSearchParams(location.search);
    const written = Object.entries(values).map(([slider, value]) => `${slider}:${Number(value.toPrecision(4))}`);
    if (written.length) search.set(`panel-${name}`, written.join(","));
    else search.delete(`panel-${name}`);
    const query = String(search).replaceAll("%3A", ":").replaceAll("%2C", ",");
    history.replaceState(null, "", `${location.pathname}${query && `?${query}`}${location.hash}`);
  }

  /** What a panel asks first. The answer takes the place of the question, so that nothing below it moves. */
  function asked(panel, shows) {
    const { question, value, low, high, step, unit, much, why } = panel.guess, id = `panel-${panel.name}-guess`;
    const amount = (x) => named({ names: [], unit }, x, 2);
    const input = element("input", { type: "range", id, min: low, max: high, step });
    input.value = (low + high) / 2;
    const output = element("output", { for: id });
    const read = () => {
      output.textContent = amount(Number(input.value));
      input.setAttribute("aria-valuetext", output.textContent);
    };
    input.addEventListener("input", read);
    read();
    const label = element("label", { for: id }, element("strong", {}, "Guess first. "), question);
    const answer = element("button", { type: "submit", class: "panel-button" }, "Show the answer");
    const ask = element("div", { class: "panel-guess-ask" }, label, element("div", { class: "panel-guess-row" }, input, output, answer));
    const reply = element("p", { class: "panel-guess-reply", tabindex: -1 });
    const form = element("form", { class: "panel-guess" }, ask, reply);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const guess = Number(input.value), right = shows()[value], near = Math.abs(guess / right - 1) < 0.1;
      const verdict = near ? `You guessed ${amount(guess)}, and it is ${amount(right)}: very near.`
        : `You guessed ${amount(guess)}. It is ${amount(right)}: ${times(right / guess, much, 2, true)} as you guessed.`;
      reply.replaceChildren(element("strong", {}, verdict), ` ${why}`);
      form.classList.add("answered");
      reply.focus({ preventScroll: true });
    });
    form.addEventListener("reset", () => (form.classList.remove("answered"), setTimeout(read)));
    return form;
  }

  function build(panel) {
    const place = document.getElementById(`panel-${panel.name}`);
    if (!place || place.childElementCount) return;
    const { values, draw, acts, follow } = panel.code(tools);
    const controls = Object.fromEntries(panel.sliders.map((slider) => [slider.name, control(panel, slider, byHand)]));
    const summary = element("p", { class: "panel-summary" });
    const spoken = element("p", { class: "visually-hidden", "aria-live": "polite" });
    const charts = element("div", { class: "panel-charts" });
    const title = element("p", { class: "panel-title", id: `panel-${panel.name}-title` }, panel.title);
    place.setAttribute("aria-labelledby", title.id);
    place.tabIndex = -1; // a link leads here
    const sliders = element("div", { class: "panel-sliders" }, ...Object.values(controls).map((one) => one.row));
    const buttons = element("div", { class: "panel-buttons" });
    const note = element("details", { class: "panel-note" }, element("summary", {}, "What is shown"), element("p", {}, panel.note));
    note.open = innerWidth >= PHONE;
    const setter = document.querySelector(`a.panel-set[href*="panel-${panel.name}="]`);
    if (setter) note.append(element("p", {}, "Some words in the text carry the sign ⇄. Click them, and this figure shows their case."));
    const guess = panel.guess ? [asked(panel, shows)] : [];
    const moves = panel.opens !== null; // a story that plays by itself
    place.append(title, ...(moves ? [summary, spoken, charts, buttons, ...guess, sliders] : [...guess, sliders, buttons, summary, spoken, charts]), note);
    let waiting = 0, silent = null, noted = null, playing = 0;
    const press = (words, act) => {
      const button = element("button", { type: "button", class: "panel-button" }, words);
      button.addEventListener("click", act);
      buttons.append(button);
      return button;
    };
    function later() {
      waiting ||= requestAnimationFrame(redraw);
    }
    function moved() {
      pause();
      later();
      clearTimeout(noted);
      noted = setTimeout(() => address(panel.name, now()), 300);
    }
    function byHand(name) {
      // A story that plays is seen whole when a reader changes it.
      if (moves && name !== panel.plays) controls[panel.plays].set(first[panel.plays]);
      const others = follow(name, now());
      if (others) set(others);
      moved();
    }
    const now = () => Object.fromEntries(Object.entries(controls).map(([name, one]) => [name, one.read()]));
    /** Take these values; sliders that are not named go back to where they were at first. */
    function set(wanted) {
      for (const [name, one] of Object.entries(controls)) {
        const { slider } = one, known = Number.isFinite(wanted[name]);
        const [low, high] = [slider.min, slider.max].map((x) => (slider.log ? 10 ** x : x));
        one.set(known ? Math.min(Math.max(wanted[name], low), high) : first[name]);
      }
    }
    function pause() {
      clearInterval(playing);
      playing = 0;
      if (play) play.textContent = "Play";
    }
    function start() {
      const { input, slider, set } = controls[panel.plays];
      if (Number(input.value) >= slider.max - slider.step / 2) set(slider.log ? 10 ** slider.min : slider.min);
      play.textContent = "Pause";
      playing = setInterval(() => {
        set(valueOf({ ...slider, whole: false }, Math.min(Number(input.value) + slider.step, slider.max)));
        if (Number(input.value) >= slider.max - slider.step / 2) pause();
        redraw();
      }, 150);
    }
    const play = panel.plays && press("Play", () => (playing ? pause() : start()));
    for (const [name, preset] of Object.entries(panel.presets)) press(name, () => (set(preset), moved(), go()));
    for (const [name, act] of Object.entries(acts)) press(name, () => (set(act(now())), moved()));
    press("Reset", () => (set({}), pause(), later(), clearTimeout(noted), address(panel.name, {}), guess.forEach((form) => form.reset())));
    /** A story that plays begins to play. */
    function go() {
      if (moves && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
        set({ ...now(), [panel.plays]: panel.opens });
        start();
      }
    }
    /** The case of the question, and its numbers. */
    function shows() {
      set(panel.guess.at);
      moved();
      return values(now());
    }
    function redraw() {
      waiting = 0;
      const at = now(), picture = draw(at, values(at));
      if (summary.textContent !== picture.summary) {
        summary.textContent = picture.summary;
        clearTimeout(silent); // said once, when the slider rests, and not at the start
        if (silent !== null) silent = setTimeout(() => (spoken.textContent = picture.summary), 700);
        silent ??= 0;
      }
      const width = Math.max(NARROWEST, charts.clientWidth);
      charts.replaceChildren(...gallery(picture.charts, width, picture.summary));
    }
    const first = { ...now(), ...panel.first };
    const wanted = addressed(panel.name, location.search);
    set(wanted);
    place.hidden = false;
    instead(place);
    redraw();
    addEventListener("resize", later);
    place.redraw = redraw;
    /** A link in a sentence sets the panel and shows it; the way back leads to the sentence. */
    place.take = (link) => {
      location.hash = place.id;
      set(addressed(panel.name, link.search));
      moved();
      place.focus({ preventScroll: true });
      place.scrollIntoView({ block: "start" });
      const back = () => setTimeout(() => link.scrollIntoView({ block: "center", behavior: "instant" }), 50);
      setTimeout(() => addEventListener("popstate", back, { once: true }), 50);
    };
    if (moves && !Object.keys(wanted).length) new IntersectionObserver(([seen], watch) => seen.isIntersecting && (watch.disconnect(), go())).observe(place);
    // For the tests, which compare with Python.
    window.mjqValues[panel.name] = (positions = null) =>
      values(positions ? Object.fromEntries(panel.sliders.map((slider) => [slider.name, valueOf(slider, positions[slider.name])])) : now());
  }

  /** Fold the static figure that the panel stands for; a button, a link to it and print unfold it. */
  function instead(place) {
    const figure = document.getElementById(place.dataset.figure);
    if (!figure) return;
    figure.classList.add("panel-instead");
    const number = figure.querySelector(".caption-number");
    if (number) place.querySelector(".panel-title").prepend(number.cloneNode(true));
    const button = element("button", { type: "button", class: "panel-button", "aria-expanded": "false" });
    const unfold = (open) => {
      figure.classList.toggle("panel-open", open);
      button.setAttribute("aria-expanded", open);
      button.textContent = open ? "Hide the printed figure" : "Show the printed figure";
    };
    button.addEventListener("click", () => unfold(!figure.classList.contains("panel-open")));
    const target = () => {
      const wanted = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (wanted && figure.contains(wanted)) unfold(true), wanted.scrollIntoView();
    };
    const why = "On paper, in the PDF file and without scripts, a figure that does not move stands here instead.";
    place.querySelector(".panel-note").append(element("p", {}, why), button);
    unfold(false);
    addEventListener("hashchange", target);
    target();
  }

  // --- Self-checks ---

  function ask(form) {
    const { name, answer, tolerance, unit } = form.dataset;
    const right = Number(atob(answer)), options = [...form.querySelectorAll(".selfcheck-options > li")];
    const said = element("div", { class: "selfcheck-said", role: "status" });
    const words = (kind) => [...(form.querySelector(`.selfcheck-${kind}`)?.cloneNode(true).childNodes ?? [])];
    const button = element("button", { type: "submit", class: "panel-button" }, "Check");
    let given, accepted, wrong = 0;
    if (options.length) {
      options[0].parentNode.setAttribute("role", "radiogroup");
      options[0].parentNode.setAttribute("aria-label", "Your answer");
      options.forEach((item, k) => {
        const radio = element("input", { type: "radio", name: `${name}-option`, value: k, required: "" });
        item.setAttribute("role", "presentation");
        const words = [...item.childNodes].flatMap((node) => (node.nodeName === "P" ? [...node.childNodes] : [node]));
        item.replaceChildren(element("label", {}, radio, element("span", {}, ...words)));
      });
      given = () => Number(form.querySelector("input:checked").value);
      accepted = (x) => x === right;
    } else {
      const input = element("input", { type: "number", step: "any", required: "", id: `${name}-input` });
      input.setAttribute("aria-describedby", `${name}-question`);
      const near = Number(tolerance) ? ` (right within ${shown(Number(tolerance), 2)})` : "";
      form.append(element("label", { for: input.id }, `Your answer${unit ? ` [${unit}]` : ""}${near}`), " ", input, " ");
      given = () => Number(input.value);
      accepted = (x) => Math.abs(x - right) <= Number(tolerance);
    }
    form.append(button, said);
    form.addEventListener("input", () => said.replaceChildren());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const good = accepted(given());
      said.className = `selfcheck-said ${good ? "good" : "bad"}`;
      wrong += !good;
      const verdict = element("strong", {}, good ? "Right." : "Not yet.");
      said.replaceChildren(verdict, ...(good ? [...computed(), ...words("why")] : words("hint")), ...(good || wrong < 2 ? [] : [show]));
    });
    const computed = () => (options.length ? [] : [` Computed: ${shown(right, 4)}.`]);
    const show = element("button", { type: "button", class: "panel-button" }, "Show the answer");
    show.addEventListener("click", () => {
      if (options.length) options[right].querySelector("input").checked = true;
      said.className = "selfcheck-said good";
      said.replaceChildren(element("strong", {}, options.length ? "The right answer is marked." : "The answer:"), ...computed(), ...words("why"));
    });
  }

  const tools = { shown, times, spaced, interpolated, seated };
  window.mjqValues = {};
  addEventListener("DOMContentLoaded", () => {
    for (const panel of window.mjqPanels || []) build(panel);
    addEventListener("click", (event) => {
      const link = event.target.closest?.("a.panel-set"), place = link && document.getElementById(link.hash.slice(1));
      if (!place?.take || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      place.take(link);
    });
    document.querySelectorAll("form.selfcheck").forEach(ask);
  });
})();
