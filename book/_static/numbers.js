// The forms of the page *Your numbers*: each shows the call in Python that it amounts to, and computes where the page
// can (book/run_here.py). book/_ext/forms.py makes the forms.
(() => {
  "use strict";
  const KINDS = {
    number: ["a number", (x) => typeof x === "number"],
    whole: ["a whole number", Number.isInteger],
    numbers: ["numbers with commas between them", (x) => Array.isArray(x)],
    "number or numbers": ["a number, or several with commas between them", (x) => typeof x === "number" || Array.isArray(x)],
    table: ["a table of names and values, as in JSON", (x) => x !== null && typeof x === "object"],
    truth: ["true or false", (x) => typeof x === "boolean"],
    word: ["a word", () => true],
  };
  const POINTS = 21, MOST_WHOLE = 61; // of a curve
  const LINES = /^\s*|\s*$/g;

  function element(tag, attributes = {}, ...content) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...content);
    return node;
  }

  /** The value of a field, or undefined if it is empty; an error says what should be there. */
  function valueOf(field, kind) {
    const text = field.value.replace(LINES, "");
    if (!text) return undefined;
    if (kind === "word") return text;
    const [words, fits] = KINDS[kind];
    for (const one of kind === "numbers" ? [`[${text}]`] : [text, `[${text}]`]) {
      let value;
      try {
        value = JSON.parse(one);
      } catch {
        continue;
      }
      if (fits(value)) return value;
    }
    throw new Error(`${field.name} must be ${words}.`);
  }

  /** A value as Python and as JSON write it; the one and the other differ only in words that no form has. */
  function written(value) {
    if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
    if (value === true || value === false) return value ? "True" : "False";
    if (value === null) return "None";
    if (typeof value === "object") {
      return `{${Object.entries(value).map(([key, x]) => `${JSON.stringify(key)}: ${written(x)}`).join(", ")}}`;
    }
    return JSON.stringify(value);
  }

  class Form {
    constructor(form) {
      this.form = form;
      this.told = JSON.parse(form.querySelector("script").textContent);
      const model = this.told.model;
      const place = document.getElementById(`call-${model}`);
      this.call = place.querySelector("pre") || place;
      this.results = document.querySelector(`.mjq-numbers-results[data-model="${model}"]`);
      this.said = element("p", { class: "mjq-numbers-said", role: "alert" });
      form.append(this.said);
      form.addEventListener("input", () => this.update());
      form.addEventListener("submit", (event) => event.preventDefault());
    }

    /** The values of all fields, or null where one of them is not as it should be, which is then said. */
    values() {
      const found = {};
      this.said.textContent = "";
      for (const [name, kind] of Object.entries(this.told.inputs)) {
        const field = this.form.elements[name];
        field.removeAttribute("aria-invalid");
        try {
          const value = valueOf(field, kind);
          if (value !== undefined) found[name] = value;
        } catch (error) {
          field.setAttribute("aria-invalid", "true");
          this.said.textContent = error.message;
          return null;
        }
      }
      return found;
    }

    arguments(values) {
      return Object.entries(values).map(([name, value]) => `    ${name}=${written(value)},`).join("\n");
    }

    update() {
      const values = this.values();
      if (values) this.call.textContent = `from mjq_book.headlines import solve\n\nsolve(\n    "${this.told.model}",\n${this.arguments(values)}\n)\n`;
    }

    // --- Where the page has Python -----------------------------------------------------------------------------------

    equip() {
      const { NOTE, isSmall, megabytes, progressLine, stop } = window.mjqPython;
      if (isSmall()) return this.form.append(element("p", { class: "run-here-note" }, NOTE));
      const { inputs, against, model } = this.told;
      const choices = Object.keys(inputs).filter((name) => ["number", "whole"].includes(inputs[name]));
      this.against = element("select", { id: `against-${model}` }, ...choices.map((x) => new Option(x, x, x === against, x === against)));
      const label = element("label", { for: this.against.id }, "Draw the results against");
      this.compute = element("button", { type: "submit", class: "run-here-button" }, "Compute ", element("span", { class: "run-here-size" }, `(${megabytes}, once)`));
      this.halt = element("button", { type: "button", class: "run-here-button", disabled: "" }, "Stop");
      this.progress = progressLine();
      this.halt.addEventListener("click", stop);
      this.form.addEventListener("submit", () => this.run());
      const row = element("div", { class: "run-here-buttons" }, label, this.against, this.compute, this.halt);
      this.form.append(row, this.progress.line);
      this.results.classList.add("run-here-results");
    }

    async run() {
      const values = this.values(), { run, shown } = window.mjqPython;
      if (!values) return;
      this.form.dataset.state = "running";
      this.compute.disabled = true;
      this.halt.disabled = false;
      try {
        const found = await run(this.program(values), this.progress.show);
        const text = found.find(([kind]) => kind === "text")?.[1];
        const result = text && text.startsWith("{") ? JSON.parse(text) : null;
        this.results.replaceChildren(...(result ? [this.table(result)] : found.map(shown)));
        if (result) {
          const drawn = await run(this.drawing(values, result), this.progress.show);
          this.results.append(...drawn.map(shown));
        }
      } catch (error) {
        this.results.append(shown(["error", error.message]));
      }
      document.querySelectorAll(".mjq-numbers .run-here-size").forEach((size) => size.remove());
      this.progress.hide();
      this.compute.disabled = false;
      this.halt.disabled = true;
      this.form.dataset.state = "done";
    }

    program(values) {
      return `import json
from mjq_book.headlines import solve

try:
    found = solve(
    "${this.told.model}",
${this.arguments(values)}
    )
    print(json.dumps(found["result"]))
except (ValueError, ArithmeticError) as error:
    print(error)
`;
    }

    /** The program that draws: the input that was chosen, from half to one and a half times its value. */
    drawing(values, result) {
      const name = this.against.value, at = values[name];
      if (typeof at !== "number") return `print("Give ${name} a value to draw against it.")`;
      const whole = this.told.inputs[name] === "whole";
      const shown = Object.keys(result).filter((key) => typeof result[key] === "number" && key !== name && key !== "residual");
      return `import numpy as np
from matplotlib import pyplot as plt
from mjq import plots
from mjq_book.headlines import solve

plots.style()
given = dict(
${this.arguments(values)}
)
values = np.linspace(${0.5 * at}, ${1.5 * at}, ${whole ? MOST_WHOLE : POINTS})
values = ${whole ? "sorted({int(round(x)) for x in values})" : "[float(x) for x in values]"}
found = []
for value in values:
    try:
        found.append(solve("${this.told.model}", **{**given, "${name}": value})["result"])
    except (ValueError, ArithmeticError):  # no such system, or no steady state
        found.append({})
names = [x for x in ${JSON.stringify(shown)} if any(one.get(x) is not None for one in found)]
if names:
    rows = -(-len(names) // 2)
    fig, axes = plt.subplots(rows, 2, figsize=(plots.WIDTH * 1.4, 2.2 * rows), squeeze=False)
    for ax, name in zip(axes.flat, names):
        ax.plot(values, [np.nan if one.get(name) is None else one[name] for one in found], ${whole ? '"o-", ms=3' : '"-"'})
        ax.set(title=name, xlabel="${name}")
    for ax in axes.flat[len(names):]:
        ax.remove()
else:
    print("None of the results is one number: there is nothing to draw.")
`;
    }

    /** What was found, with its meaning; tables inside of it as rows of their own. */
    table(result) {
      const rows = [];
      const put = (name, words, value) => {
        if (value === null || value === undefined) return;
        if (typeof value === "object") {
          for (const [key, x] of Object.entries(value)) put(`${name} ${Array.isArray(value) ? Number(key) + 1 : key}`, words, x);
        } else rows.push([name, words, String(value)]);
      };
      for (const [name, words] of Object.entries(this.told.results)) put(name, words, result[name]);
      return window.mjqPython.shown(["table", { rows: [["name", "meaning", "value"], ...rows], left: [true, true, false] }]);
    }
  }

  const forms = [...document.querySelectorAll("form.mjq-numbers")].map((form) => new Form(form));
  document.addEventListener("mjq-python", () => forms.forEach((form) => form.equip()));
})();
