// Run cells of a chapter in the reader's browser. `book/run_here.py` says where the files come from and puts the programs
// of a page into it. A classic script: it runs from file://, where files come as scripts, and from a server.
(async () => {
  "use strict";
  const told = JSON.parse(document.getElementById("run-here").textContent);
  const FROM_DISK = location.protocol === "file:";
  const LEAST_MEMORY = 4; // GB, of devices that say what they have
  const MOST_ROWS = 24; // of a program that is shown without scrolling
  const SCRIPTS = ["pyodide.asm.js", "pyodide.js", "worker.js"]; // that the worker consists of

  function element(tag, attributes = {}, ...content) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...content);
    return node;
  }

  // --- Files -------------------------------------------------------------------------------------------------------


  function addressOf(file) {
    const own = told.own.includes(file);
    if (!own && told.where.includes("//")) return told.where + file.name;
    return told.up + (own ? told.folder : `${told.where}/`) + file.name;
  }

  /** A file that comes as a script: its content is text of base64. */
  function asScript(file) {
    return new Promise((resolve, reject) => {
      const script = element("script", { src: `${addressOf(file)}.js` });
      waiting.set(file.name, (text) => resolve(new Blob([decoded(text)])));
      script.onload = () => script.remove();
      script.onerror = () => reject(new Error(`${file.name} cannot be read`));
      document.head.append(script);
    });
  }

  const waiting = new Map();
  window.mjqFile = (name, text) => waiting.get(name)(text);

  function decoded(text) {
    const letters = atob(text), content = new Uint8Array(letters.length);
    for (let k = 0; k < letters.length; k++) content[k] = letters.charCodeAt(k);
    return content;
  }

  /** A file of a server. What a page of this book has loaded once is not asked for again, until it changes. */
  async function asFile(file) {
    const address = new URL(`${addressOf(file)}?${file.sha256.slice(0, 12)}`, location.href).href;
    const kept = file.sha256 && window.caches ? await caches.open("mjq").catch(() => null) : null;
    const before = await kept?.match(address);
    if (before) return before.blob();
    const answer = await fetch(address, file.sha256 ? { integrity: `sha256-${inBase64(file.sha256)}` } : {});
    if (!answer.ok) throw new Error(`${file.name}: the server answers ${answer.status}`);
    if (kept) {
      const old = await kept.keys(address, { ignoreSearch: true });
      await Promise.all([...old.map((one) => kept.delete(one)), kept.put(address, answer.clone()).catch(() => {})]);
    }
    return answer.blob();
  }

  function inBase64(hexadecimal) {
    return btoa(hexadecimal.replace(/../g, (two) => String.fromCharCode(parseInt(two, 16))));
  }

  if (!told.files) { // of a published copy the page knows no more than where it is
    const list = { name: "files.json", sha256: "" };
    told.files = JSON.parse(await (await (FROM_DISK ? asScript(list) : asFile(list))).text()).files;
  }
  const total = [...told.files, ...told.own].reduce((sum, one) => sum + one.bytes, 0);
  const files = new Map(); // what was asked for, by name
  const all = inOrder([...told.own, ...told.files]);

  /** What Python begins with comes first, and what only some programs need last. */
  function inOrder(list) {
    const rank = (file) => (rank.of.findIndex((words) => words.test(file.name)) + 1 || rank.of.length + 1);
    rank.of = [/^(pyodide|worker|python_stdlib)/, /^(numpy|openblas|scipy|lazy|tqdm)/, /^mjq/, /^(?!sympy|mpmath)/];
    return [...list].sort((a, b) => rank(a) - rank(b));
  }

  function file(name) {
    const found = all.find((one) => one.name === name);
    if (!files.has(name)) files.set(name, FROM_DISK ? asScript(found) : asFile(found));
    return files.get(name);
  }

  /** Hand a worker all files, one after the other: a disk is not faster with several, and progress is steady. */
  async function hand(to, progress) {
    let here = 0;
    for (const { name, bytes: size } of all) {
      try {
        to.postMessage({ name, content: await file(name) });
      } catch (error) {
        files.delete(name);
        to.postMessage({ name, error: error.message });
        return;
      }
      here += size;
      progress(here / total);
    }
  }

  // --- Python ------------------------------------------------------------------------------------------------------

  let worker, ready; // the worker, and a promise that Python is up in it
  let turn = Promise.resolve(); // programs run one after the other
  let stops = 0, givenUp = () => {};

  function answer(progress) {
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data.stage) progress(data.stage);
        else if (data.failed) reject(new Error(data.failed));
        else resolve(data.done);
      };
      worker.onerror = (event) => reject(new Error(event.message || "the worker failed"));
    });
  }

  async function begin(progress) {
    const before = stops, scripts = [];
    for (const name of SCRIPTS) scripts.push(await file(name));
    if (stops > before) throw new Error("Stopped.");
    const address = URL.createObjectURL(new Blob(scripts, { type: "text/javascript" }));
    worker = new Worker(address);
    let stage = "Starting Python", part = 0;
    const said = answer((words) => progress((stage = words), part));
    hand(worker, (share) => progress(stage, (part = share)));
    await said;
    URL.revokeObjectURL(address);
  }

  /** What a program shows, as pairs of its kind and content. */
  function run(program, progress) {
    const work = async () => {
      ready ||= begin(progress);
      await ready;
      const said = answer(progress);
      worker.postMessage({ program });
      return said;
    };
    const mine = turn.then(() => {
      const stopped = new Promise((_, reject) => {
        givenUp = () => reject(new Error("Stopped."));
      });
      return Promise.race([work(), stopped]);
    }).catch((error) => {
      stop(); // what failed here was not the program
      throw error;
    });
    turn = mine.catch(() => {});
    return mine;
  }

  /** End whatever runs; the next program starts Python anew. */
  function stop() {
    stops += 1;
    worker?.terminate();
    worker = ready = undefined;
    givenUp();
  }

  // --- What a program shows ------------------------------------------------------------------------------------------

  const GREEK = { alpha: "α", beta: "β", gamma: "γ", lambda: "λ", mu: "μ", nu: "ν", pi: "π", Delta: "Δ", sigma: "σ" };

  /** A text with simple formulas, between dollars: letters, with what is above and below them. */
  function withFormulas(text) {
    return text.split("$").flatMap((part, k) => {
      if (k % 2 === 0) return [part];
      const plain = part.replace(/\\(\w+) ?/g, (all, name) => GREEK[name] || all);
      return plain.split(/([_^](?:\{[^{}]*\}|\w))/).map((piece, n) =>
        n % 2 ? element(piece[0] === "_" ? "sub" : "sup", {}, piece.slice(1).replace(/[{}]/g, "")) : piece);
    });
  }

  function shown([kind, content]) {
    if (kind === "figure") {
      const address = URL.createObjectURL(new Blob([content], { type: "image/svg+xml" }));
      return element("img", { class: "run-here-figure", src: address, alt: "The figure that the program drew" });
    }
    if (kind === "table") {
      const [head, ...rows] = content.rows;
      const side = (k) => ({ class: content.left[k] ? "text-left" : "text-right" });
      const row = (tag, cells) => element("tr", {}, ...cells.map((x, k) => element(tag, side(k), ...withFormulas(x))));
      const table = element("table", { class: "table" }, element("thead", {}, row("th", head)),
        element("tbody", {}, ...rows.map((cells) => row("td", cells))));
      return element("div", { class: "run-here-table", tabindex: "0", role: "region", "aria-label": "Table" }, table);
    }
    return element("pre", { class: kind === "error" ? "run-here-error" : "run-here-text", tabindex: "0" }, content);
  }

  /** Whether this device has too little memory, as far as one can know. */
  function isSmall() {
    if (navigator.deviceMemory) return navigator.deviceMemory < LEAST_MEMORY;
    return matchMedia("(pointer: coarse)").matches && matchMedia("(max-width: 700px)").matches;
  }

  const megabytes = `${Math.round(total / 1e6)} MB`;
  const NOTE = `On a computer with more memory a reader can run this here, after a download of ${megabytes}.`;

  /** A line that says how far things are, with a bar. */
  function progressLine() {
    const words = element("span", { role: "status" }), bar = element("progress", { max: 1, "aria-label": "Progress" });
    const line = element("div", { class: "run-here-progress", hidden: "" }, words, bar);
    return {
      line,
      show(stage, part) {
        line.hidden = false;
        words.textContent = `${stage} …`;
        if (part === undefined) bar.removeAttribute("value");
        else bar.value = part;
      },
      hide() {
        line.hidden = true;
        words.textContent = "";
      },
    };
  }

  // --- Cells ---------------------------------------------------------------------------------------------------------

  const openers = [];

  function equip(name, program) {
    const cell = document.getElementById(`cell-${name}`)?.closest(".cell");
    if (!cell) return;
    const place = element("div", { class: "run-here", "data-cell": name });
    cell.after(place);
    if (isSmall()) return place.append(element("p", { class: "run-here-note" }, NOTE));
    const size = element("span", { class: "run-here-size" }, ` (${megabytes}, once)`);
    const opener = element("button", { type: "button", class: "run-here-button" }, "Run it here", size);
    openers.push(size);
    opener.addEventListener("click", () => {
      const editor = open(place, name, program);
      opener.remove();
      editor.run();
    });
    place.append(opener);
  }

  function open(place, name, program) {
    const code = element("textarea", {
      class: "run-here-code", id: `run-here-${name}`, rows: Math.min(program.split("\n").length, MOST_ROWS),
      spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off",
    });
    code.value = program;
    const label = element("label", { for: code.id }, "The program. Change it, and run it again (Ctrl+Enter).");
    const button = (words) => element("button", { type: "button", class: "run-here-button" }, words);
    const [again, halt, reset] = ["Run", "Stop", "Reset"].map(button);
    const results = element("div", { class: "run-here-results", "aria-label": "What the program shows", role: "region" });
    const progress = progressLine();
    halt.disabled = true;
    const runIt = async () => {
      again.disabled = true;
      halt.disabled = false;
      place.dataset.state = "running";
      try {
        const found = await run(code.value, progress.show);
        results.replaceChildren(...found.map(shown));
        if (!found.length) results.replaceChildren(shown(["text", "The program shows nothing."]));
      } catch (error) {
        results.replaceChildren(shown(["error", error.message]));
      }
      place.dataset.state = "done";
      for (const size of openers) size.remove();
      progress.hide();
      again.disabled = false;
      halt.disabled = true;
    };
    again.addEventListener("click", runIt);
    halt.addEventListener("click", stop);
    reset.addEventListener("click", () => {
      code.value = program;
      results.replaceChildren();
    });
    code.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !again.disabled) runIt();
    });
    const note = element("p", { class: "run-here-note" }, "Everything is computed in this page. Nothing leaves your machine.");
    place.append(label, code, element("div", { class: "run-here-buttons" }, again, halt, reset), progress.line, results, note);
    code.focus({ preventScroll: true });
    return { run: runIt };
  }

  window.mjqPython = { run, stop, shown, progressLine, isSmall, megabytes, NOTE };
  for (const [name, program] of Object.entries(told.cells)) equip(name, program);
  document.dispatchEvent(new Event("mjq-python"));
})();
