import { known, literal } from "../../text.ts";
import type { Deed, Hook, Row } from "../row/row.ts";
import { programOf } from "../row/run-row.ts";
import { mention, writeFiles, writeTrees } from "../row/words.ts";

/** Modules that are programs of the table. */
const asPrograms = new Set(
  "pytest black ruff isort pip mypy flake8 pylint autopep8 yapf poetry uv pdm pipenv nox tox coverage sphinx build twine jupyter nbconvert ansible cython pyflakes pycodestyle bandit autoflake pyupgrade virtualenv aider".split(
    " ",
  ),
);

/** `zipfile -c ARCHIVE …`, `-e ARCHIVE FOLDER`; the same for tarfile. */
const packs: Hook = (_, effects, { args: [verb, file = [], folder = literal(".")] }) => {
  const name = known(verb ?? []) ?? "";
  if (/^(?:-c|--create)$/.test(name)) writeFiles([file], effects);
  if (/^(?:-e|--extract)$/.test(name)) writeTrees([folder], effects);
};

const modules: Deed = {
  also: ({ operands }, effects, { args }) => {
    if (asPrograms.has(known(operands[0] ?? []) ?? "")) effects.run(args);
    else mention(args.slice(1), effects);
  },
  wrapper: true,
  commands: {
    venv: { values: "prompt", flags: "system-site-packages symlinks copies clear upgrade without-pip upgrade-deps", writes: "operands", tree: true },
    "json.tool": { values: "indent", flags: "sort-keys compact no-ensure-ascii json-lines tab", writes: "second" },
    "zipfile tarfile": { also: packs },
    compileall: { values: "d s p i x r j", writes: "operands", tree: true, otherwise: "." },
    "py_compile gzip": { flags: "d", writes: "operands" },
    lib2to3: { values: "f,fix x,nofix j,processes o,output-dir", writes: "operands", tree: true, when: "w,write" },
    zipapp: { values: "p,python m,main", files: "o,output", opaque: "it builds a program" },
    "unittest doctest": { opaque: "tests run" },
    "http.server site sysconfig platform this tokenize ast dis calendar timeit.help": {},
  },
};
const module = programOf(modules);

/** `python -m NAME`: a module listed above, a program of the same name, or any other code. */
const runsModule: Hook = (options, effects, call) => {
  const name = options.value("m");
  if (name === undefined) return;
  effects.opaque("a module runs, possibly from the working folder");
  module({ ...call, args: [name, ...options.operands] }, effects);
};

export const python: Row = {
  names: "python python2 python3 pythonw py pypy pypy3 micropython ipython ipython3",
  values: "W X check-hash-based-pycs",
  ends: "c m",
  flags: "b B d E i I O q R s S u v x P t",
  harmless: "h,help V,version",
  code: "c",
  runs: "script",
  unless: "m",
  also: runsModule,
  match: ["python a.py", "python -c x", "python3 -m black a -> a", "python -m venv a -> a", "python -m zipfile -e x.zip a -> a", "python -m compileall -> ."],
  no_match: ["python -V", "python --version"],
};
