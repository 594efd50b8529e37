import { optionReader } from "../read-options.ts";
import { known, literal, type Text } from "../text.ts";
import type { Call, Effects, Program } from "../types.ts";
import { asksForHelp, describe, mention, named, readsOnly, writeFiles, writeTrees } from "./row/describe.ts";
import { tellCode } from "./row/tell-code.ts";

const readPython = optionReader({
  values: "W X check-hash-based-pycs",
  ends: "c m",
  flags: "b B d E h,help i I O q R s S u v V,version x P t",
  wrapper: true,
});

const python: Program = (call, effects) => {
  if (asksForHelp(call.args)) return;
  const options = readPython(call.args);
  if (options.has("h", "V")) return;
  const name = options.value("m");
  if (name === undefined) return tellCode(options.all("c"), options, effects, call);
  runModule(name, { ...call, args: options.operands }, effects);
};

/** `python -m NAME`: a module of its own kind, a program of the same name, or somebody's code. */
function runModule(name: Text, call: Call, effects: Effects): void {
  const spelled = known(name) ?? "";
  const program = modules.get(spelled);
  effects.opaque("a module runs, maybe one of the folder we are in");
  if (program !== undefined) program(call, effects);
  else if (asPrograms.has(spelled)) effects.run([literal(spelled), ...call.args]);
  else mention(call.args, effects);
}

const asPrograms = new Set(
  "pytest black ruff isort pip mypy flake8 pylint autopep8 yapf poetry uv pdm pipenv nox tox coverage sphinx build twine jupyter nbconvert ansible cython pyflakes pycodestyle bandit autoflake pyupgrade virtualenv aider".split(
    " ",
  ),
);

const venv = describe({
  values: "prompt",
  flags: "system-site-packages symlinks copies clear upgrade without-pip upgrade-deps",
  writes: "operands",
  tree: true,
});

/** `zipfile -c ARCHIVE …`, `-e ARCHIVE FOLDER`; tarfile alike. */
const archive: Program = (call, effects) => {
  const [verb, file, folder] = call.args;
  const name = known(verb ?? []) ?? "";
  if (/^(?:-c|--create)$/.test(name)) writeFiles(file === undefined ? [] : [file], effects);
  if (/^(?:-e|--extract)$/.test(name)) writeTrees([folder ?? literal(".")], effects);
};

const modules = new Map<string, Program>([
  ["venv", venv],
  [
    "json.tool",
    describe({
      values: "indent",
      flags: "sort-keys compact no-ensure-ascii json-lines tab",
      writes: "second",
    }),
  ],
  ["zipfile", archive],
  ["tarfile", archive],
  ["compileall", describe({ values: "d s p i x r j", writes: "operands", tree: true, otherwise: "." })],
  ["py_compile", describe({ writes: "operands" })],
  [
    "lib2to3",
    describe({
      values: "f,fix x,nofix j,processes o,output-dir",
      writes: "operands",
      tree: true,
      when: "w,write",
    }),
  ],
  ["gzip", describe({ writes: "operands", flags: "d" })],
  ["zipapp", describe({ values: "p,python m,main", files: "o,output", opaque: "it builds a program" })],
  ["unittest", (_, effects) => effects.opaque("tests run")],
  ["doctest", (_, effects) => effects.opaque("tests run")],
  ...named("http.server site sysconfig platform this tokenize ast dis calendar timeit.help", readsOnly),
]);

const ipython: Program = (call, effects) => python(call, effects);

export const pythons = new Map<string, Program>([
  ...named("python python2 python3 pythonw py pypy pypy3 micropython", python),
  ...named("ipython ipython3", ipython),
]);
