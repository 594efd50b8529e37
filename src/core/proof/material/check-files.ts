import { kindOf, soundsLikeHelper } from "./kinds.ts";
import { entryPaths, readManifest, scriptsOf } from "./package-manifest.ts";

/** Access to the files of a tree. */
export interface TreeTexts {
  paths(): readonly string[];
  has(path: string): boolean;
  /** Undefined if absent or not text. */
  text(path: string): string | undefined;
  /** Reads many texts at once. */
  load(paths: readonly string[]): void;
}

const textsMax = 200;
const packageRunners =
  /^(?:npm|npx|yarn|pnpm|bun|run-s|run-p|npm-run-all\d?|concurrently|wireit|turbo|nx|lerna)$/;
/** The usual names of a program's own entry point. */
const entryName = /(?:^|\/)(?:main|index|app|cli|server|manage|__main__)\.\w+$/;
const productFolder = /^(?:.*\/)?(?:src|lib|app|pkg|cmd|internal|dist|build|out)\//;
/** Recipe files, by the program that reads them. */
const recipes: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^g?make$/, ["Makefile", "makefile", "GNUmakefile"]],
  [/^just$/, ["justfile", ".justfile", "Justfile"]],
  [/^task$/, ["Taskfile.yml", "Taskfile.yaml"]],
  [/^tox$/, ["tox.ini"]],
  [/^nox$/, ["noxfile.py"]],
];

interface Text {
  readonly text: string;
  /** The file that contains it; empty for a command line. */
  readonly from: string;
  readonly isShell: boolean;
  /** The working folder. */
  readonly folder: string;
}

/**
 * The files that checks use, besides those recognised by name: scripts that a command starts, the files that these
 * start, import and read, and the files that a runner's configuration loads. Package scripts and recipes are followed.
 */
export function filesNamedBy(commands: readonly string[], tree: TreeTexts): ReadonlySet<string> {
  const entries = new Set(entryPaths(readManifest(tree.text("package.json"))));
  const found = new Set<string>();
  const seen = new Set<string>();
  const queue: Text[] = [];
  const add = (text: Text) => {
    const key = `${text.folder}\n${text.text}`;
    if (seen.has(key) || seen.size >= textsMax) return;
    seen.add(key);
    queue.push(text);
  };
  const addFile = (path: string, folder: string, how: "used" | "started" | "loaded" = "used") => {
    const isMaterial =
      how === "loaded" ||
      /\.(?:sh|bash)$/.test(path) ||
      mayBeScript(path, entries) ||
      // A program that a check starts is a part of the check in any folder, unless it is the product itself.
      (how === "started" && !entries.has(path) && !entryName.test(path));
    if (found.has(path) || !tree.has(path) || !isMaterial) return;
    found.add(path);
    const text = tree.text(path);
    // A test's imports are not followed: they are the code under test.
    if (text !== undefined && kindOf(path) !== "test")
      add({ text, from: path, isShell: isShellFile(path, text), folder });
  };
  const scripts = scriptsOf(readManifest(tree.text("package.json")));
  // An install runs these before any check.
  const setUps = ["preinstall", "install", "postinstall", "prepare"].map((name) => scripts[name]);
  for (const text of [...commands, ...setUps])
    if (typeof text === "string") add({ text, from: "", isShell: true, folder: "" });
  const configs = tree.paths().filter(isRunnerConfig).slice(0, textsMax);
  tree.load(configs);
  for (const path of configs)
    for (const loaded of loadedBy(tree.text(path) ?? "", path))
      addFile(loaded, "", entries.has(loaded) ? "used" : "loaded");
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { text, from, isShell } = next;
    if (!isShell) {
      for (const path of importedPaths(text, from, tree)) if (isPartOf(path, from)) addFile(path, "");
      for (const path of dataPaths(text, from)) addFile(path, "");
      continue;
    }
    let { folder } = next;
    for (const part of text.split(/&&|\|\||[;|&\n()]/)) {
      const words = wordsOf(part.replace(/^\s*[@-]+/, ""));
      folder = folderAfter(words, folder);
      for (const path of loadedIn(words, { folder, from })) addFile(path, folder, "loaded");
      for (const path of startedBy(words, { folder, from, tree })) addFile(path, folder, "started");
      for (const script of scriptsIn(words, folder, tree)) add({ ...script, from: "", isShell: true });
      for (const path of recipesIn(words, folder)) {
        const recipe = tree.text(path);
        if (recipe === undefined) continue;
        found.add(path);
        add({ text: recipe, from: path, isShell: true, folder: folderOf(path) });
      }
    }
  }
  return found;
}

function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}

/** `cd qa` applies to the following commands; `make -C qa` and `npm --prefix qa` to the rest of the line. */
function folderAfter(words: readonly string[], folder: string): string {
  const at = words.findIndex(
    (word) => word === "cd" || word === "-C" || word === "--prefix" || word === "-w",
  );
  const to = words[at + 1];
  return at < 0 || to === undefined || /[$~]/.test(to) ? folder : resolved(folder, to);
}

function scriptsIn(words: readonly string[], folder: string, tree: TreeTexts) {
  if (!words.some((word) => packageRunners.test(word) || word === "--run")) return [];
  return [...new Set([folder, ""])].flatMap((place) => {
    const scripts = scriptsOf(readManifest(tree.text(resolved(place, "package.json"))));
    return words.flatMap((word) =>
      [word, `pre${word}`, `post${word}`].flatMap((name) => {
        const text = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
        return typeof text === "string" ? [{ text, folder: place }] : [];
      }),
    );
  });
}

function recipesIn(words: readonly string[], folder: string): readonly string[] {
  const own = recipes.flatMap(([program, files]) =>
    words.some((word) => program.test(word)) ? files.map((file) => resolved(folder, file)) : [],
  );
  const included = /^-?s?include$/.test(words[0] ?? "")
    ? words.slice(1).map((word) => resolved(folder, word))
    : [];
  return [...own, ...included];
}

function isRunnerConfig(path: string): boolean {
  if (/(?:^|\/)node_modules\//.test(path)) return false;
  return (
    /(?:^|\/)(?:(?:vitest|jest|karma|playwright|cypress|mocha|ava|wdio|jasmine|vite)[^/]*\.(?:[cm]?[jt]s|json|ya?ml)|\.(?:mocharc|nycrc|c8rc|taprc)[^/]*|tsconfig[^/]*\.json|conftest\.py|pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|package\.json)$/.test(
      path,
    ) && !/(?:^|\/)(?:tests?|__tests__|fixtures|testdata)\//.test(path)
  );
}

const loadingKeys =
  /["']?\b(?:setup\w*|require|globalSetup|globalTeardown|loader|import|reporters?|testEnvironment|runner|runtime|transform|resolver|snapshot\w+|file|spec|config|extends?|preset|testSequencer|plugins?|pytest_plugins|addopts|environment)["']?\s*[:=]\s*(\[[^\]]*\]|\{[^}]*\}|[^\n]+)/g;

/** Files that a runner's configuration tells it to load. */
function loadedBy(text: string, path: string): readonly string[] {
  const folder = folderOf(path);
  const listed = [...text.matchAll(loadingKeys)].map(([, value = ""]) => value);
  // Items of YAML lists, which are on the lines below their key.
  const below = [...text.matchAll(/^\s*-\s+["']?([\w./-]+\.\w+)["']?\s*$/gm)].map(([, value = ""]) => value);
  return [...listed, ...below].flatMap((value) =>
    [...value.matchAll(/(?:<rootDir>\/)?([\w.-]*[\w./-]+)/g)].flatMap(([, word = ""]) => [
      ...variants(resolved(folder, word)),
      ...(word.includes(".") && !word.includes("/") ? [`${word.replaceAll(".", "/")}.py`] : []),
    ]),
  );
}

function variants(path: string): readonly string[] {
  return [
    ...endings.map((ending) => path + ending),
    `${path}.py`,
    `${path}/__main__.py`,
    `${path}/__init__.py`,
  ];
}

function mayBeScript(path: string, entries: ReadonlySet<string>): boolean {
  if (entries.has(path) || kindOf(path) === "manifest") return false;
  return !productFolder.test(path) || soundsLikeHelper(path) || kindOf(path) !== undefined;
}

/** Helpers and files of the script's own folder belong to it; other imports are the code that it checks. */
function isPartOf(path: string, script: string): boolean {
  const folder = script.slice(0, script.lastIndexOf("/") + 1);
  return soundsLikeHelper(path) || (folder !== "" && path.startsWith(folder));
}

function isShellFile(path: string, text: string): boolean {
  return /\.(?:sh|bash|zsh|mk)$|(?:^|\/)[Mm]akefile$/.test(path) || /^#!.*\b(?:ba|z|da)?sh\b/.test(text);
}

/** Splits at white space and shell syntax; quotes are ignored. */
function wordsOf(text: string): readonly string[] {
  return text.split(/[\s"'`;|&()<>{}]+/).filter((word) => word !== "");
}

const interpreters =
  /^(?:node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|lua|sh|bash|zsh|dash|source|\.|exec|env|time|timeout|sudo|nice|xvfb-run|cross-env|dotenv|nohup|stdbuf|unbuffer)$/;
const loading =
  /^(?:-r|--require|--import|--loader|--experimental-loader|-c|--config|-f|--file|--makefile|--rcfile|-p|--project|--setup|--setupFiles|--setup-files)$/;

/** `NODE_OPTIONS=--require=./a.js` as the words `--require` and `./a.js`. */
function withOptions(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => word.replace(/^\w+=(?=-)/, "").split(/(?<=^--?[\w-]+)=/));
}

/** The files that a command line runs or loads; other named files are its input. */
function startedBy(
  split: readonly string[],
  { folder, from, tree }: { readonly folder: string; readonly from: string; readonly tree: TreeTexts },
): readonly string[] {
  const words = withOptions(split);
  const found: string[] = [];
  let isStart = true;
  for (const [at, word] of words.entries()) {
    const before = words[at - 1] ?? "";
    const isLoaded = loading.test(before) || loading.test(word.replace(/=.*/, ""));
    if (before === "-m") found.push(...moduleFiles(word));
    else if (isLoaded) found.push(plainPath(word.replace(/^--?[\w-]+=/, "")));
    else if (isStart) found.push(plainPath(word));
    const isSetting =
      /^\w+=|^-|^\d+[smhd]?$|^(?:run|exec|in|do|then|for|if|while|else|!)$/.test(word) ||
      interpreters.test(word);
    isStart = isStart && (isSetting || isLoaded) && before !== "-m";
  }
  if (words.includes("doctest")) found.push(...words.map(plainPath));
  // A loop may run every file that its pattern matches.
  const isLoop = words.includes("for") || words.includes("run-parts") || words.includes("find");
  const patterns = isLoop ? words.filter((word) => word.includes("*")).map(plainPath) : [];
  return [
    ...found
      .filter((path) => path !== "" && !/^-/.test(path))
      .flatMap((path) => placesOf(path, folder, from)),
    ...patterns.flatMap((pattern) => matching(resolved(folder, pattern), tree)),
  ];
}

/** Files that an option loads before the program starts. They belong to the check in any folder. */
function loadedIn(
  split: readonly string[],
  { folder, from }: { readonly folder: string; readonly from: string },
): readonly string[] {
  const words = withOptions(split);
  return words.flatMap((word, at) => {
    const before = words[at - 1] ?? "";
    if (before === "-p" && words.includes("pytest")) return moduleFiles(word);
    return /^(?:-r|--require|--import|--loader|--experimental-loader)$/.test(before)
      ? placesOf(plainPath(word), folder, from)
      : [];
  });
}

/** `$(dirname "$0")/x.sh` leaves `/x.sh`, which is next to the script. */
function placesOf(word: string, folder: string, from: string): readonly string[] {
  // A leading variable is usually the script's own folder.
  const path = word.replace(/^\$\w+(?=\/)/, "");
  if (path.startsWith("/")) return variants(resolved(folderOf(from), path.slice(1)));
  return path.includes("..") && folder === "" && from === ""
    ? []
    : [...variants(resolved(folder, path)), ...variants(resolved("", path)), resolved(folderOf(from), path)];
}

function matching(pattern: string, tree: TreeTexts): readonly string[] {
  const [head = "", ...rest] = pattern.split("*");
  if (head === "" || !head.includes("/")) return [];
  const tail = rest.at(-1) ?? "";
  return tree.paths().filter((path) => path.startsWith(head) && path.endsWith(tail));
}

function plainPath(word: string): string {
  return word.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
}

function moduleFiles(word: string): readonly string[] {
  const module = word.replaceAll(".", "/");
  return [`${module}.py`, `${module}/__main__.py`];
}

const imports =
  /(?:\bfrom\s*|\brequire\s*\(\s*|\bimport\s*\(?\s*)["'](\.{1,2}\/[^"']+)["']|^\s*(?:from|import)\s+(\.*[\w.]+)/gm;
const endings = ["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json", "/index.js", "/index.ts"];

function importedPaths(text: string, from: string, tree: TreeTexts): readonly string[] {
  const folder = from.includes("/") ? from.slice(0, from.lastIndexOf("/")) : "";
  return [...text.matchAll(imports)].flatMap(([, relative, module]) => {
    if (relative !== undefined) {
      const path = resolved(folder, relative);
      return endings.map((ending) => path + ending).filter((one) => tree.has(one));
    }
    const path = `${(module ?? "").replace(/^\.+/, "").replaceAll(".", "/")}.py`;
    return [path, `${folder}/${path}`].filter((one) => from.endsWith(".py") && tree.has(one));
  });
}

/** Data files that a script names: lists and settings. */
function dataPaths(text: string, from: string): readonly string[] {
  const folder = from.includes("/") ? from.slice(0, from.lastIndexOf("/")) : "";
  return [...text.matchAll(/["'`]([\w./-]{2,200})["'`]/g)].flatMap(([, path = ""]) =>
    /\.(?:[cm]?[jt]sx?|py|rb|go|rs)$/.test(path) ? [] : [resolved("", path), resolved(folder, path)],
  );
}

function resolved(folder: string, relative: string): string {
  const parts = folder === "" ? [] : folder.split("/");
  for (const part of relative.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}
