// Python in a worker: it is given all files, asks nobody for another one, and runs one program after the other.
"use strict";

const NOWHERE = "https://files.invalid/"; // an address for Pyodide to ask; whatever it asks for is answered below
const TYPES = { wasm: "application/wasm", json: "application/json" };
const FIRST = ["numpy", "scipy", "lazy-loader", "tqdm"];
const PACKAGES = { matplotlib: ["matplotlib", "tabulate"], tabulate: ["matplotlib", "tabulate"], sympy: ["sympy"] };
const WORDS = { matplotlib: /\b(plots|matplotlib)\b/, sympy: /\b(sympy|symbolic)\b/ };
const SITE = "/lib/python3.12/site-packages";
const files = {}; // by name: a promise, and what keeps it
let runner, python;

function file(name) {
  if (!files[name]) {
    files[name] = {};
    files[name].content = new Promise((resolve, reject) => Object.assign(files[name], { resolve, reject }));
  }
  return files[name];
}

self.fetch = async (request) => {
  const name = String(request.url || request).split("/").pop();
  const type = TYPES[name.split(".").pop()] || "application/octet-stream";
  return new Response(await file(name).content, { headers: { "Content-Type": type } });
};

function tell(stage) {
  self.postMessage({ stage });
}

async function load(names) {
  await python.loadPackage(names, { messageCallback() {} });
}

async function start() {
  const env = { MPLBACKEND: "svg", HOME: "/home/pyodide" };
  python = await loadPyodide({ indexURL: NOWHERE, packages: FIRST, env });
  tell("Loading mjq");
  python.unpackArchive(await (await file("mjq.zip").content).arrayBuffer(), "zip", { extractDir: SITE });
  runner = python.pyimport("runner");
}

async function run(program) {
  for (const [name, words] of Object.entries(WORDS)) {
    if (words.test(program) && !(PACKAGES[name][0] in python.loadedPackages)) {
      tell(`Loading ${name}`);
      await load(PACKAGES[name]);
      if (name === "matplotlib") runner.prepare_figures();
    }
  }
  tell("Running");
  let told = runner.run_as_json(program);
  // A function of the library may need a package of which the program says nothing.
  const missing = /No module named '(\w+)/.exec(told);
  if (missing && PACKAGES[missing[1]] && !(PACKAGES[missing[1]][0] in python.loadedPackages)) {
    tell(`Loading ${missing[1]}`);
    await load(PACKAGES[missing[1]]);
    told = runner.run_as_json(program);
  }
  return JSON.parse(told);
}

function say(work) {
  work.then(
    (done) => self.postMessage({ done }),
    (error) => self.postMessage({ failed: String(error.message || error) }),
  );
}

self.onmessage = ({ data }) => {
  if (data.program !== undefined) say(run(data.program));
  else if (data.error) file(data.name).reject(new Error(data.error));
  else file(data.name).resolve(data.content);
};

say(start());
