import { kindOf, soundsLikeHelper } from "./kinds.ts";
import { readManifest, scriptsOf } from "./package-manifest.ts";

/** The files of a tree, as far as they are asked for. */
export interface TreeTexts {
  has(path: string): boolean;
  /** Undefined: absent, or not a text. */
  text(path: string): string | undefined;
}

const textsMax = 100;
const runners = /^(?:npm|npx|yarn|pnpm|bun|run-s|run-p|npm-run-all\d?|concurrently|wireit|turbo|nx|lerna)$/;
const productFolder = /^(?:.*\/)?(?:src|lib|app|pkg|cmd|internal|dist|build|out)\//;

/**
 * The files that checks are made of, besides those that their names tell: scripts that a command starts, and what
 * these start and import in turn. Package scripts are followed to what they start.
 */
export function filesNamedBy(commands: readonly string[], tree: TreeTexts): ReadonlySet<string> {
  const manifest = readManifest(tree.text("package.json"));
  const scripts = scriptsOf(manifest);
  const entries = new Set(entryPaths(manifest));
  const found = new Set<string>();
  const seen = new Set<string>();
  const queue: { readonly text: string; readonly from: string; readonly isShell: boolean }[] = [];
  const add = (text: string, from: string, isShell: boolean) => {
    if (seen.has(text) || seen.size >= textsMax) return;
    seen.add(text);
    queue.push({ text, from, isShell });
  };
  const addFile = (path: string) => {
    if (found.has(path) || !tree.has(path) || !mayBeScript(path, entries)) return;
    found.add(path);
    const text = tree.text(path);
    // A test imports what it tests.
    if (text !== undefined && kindOf(path) !== "test") add(text, path, isShellFile(path, text));
  };
  for (const command of commands) add(command, "", true);
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { text, from, isShell } = next;
    if (!isShell) {
      for (const path of importedPaths(text, from, tree)) if (isPartOf(path, from)) addFile(path);
      for (const path of dataPaths(text, from)) addFile(path);
      continue;
    }
    for (const path of startedBy(text)) addFile(path);
    const words = wordsOf(text);
    if (!words.some((word) => runners.test(word)) && !/^npm\b/.test(text)) continue;
    for (const word of words)
      for (const name of [word, `pre${word}`, `post${word}`]) {
        const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
        if (typeof script === "string") add(script, "", true);
      }
  }
  return found;
}

function mayBeScript(path: string, entries: ReadonlySet<string>): boolean {
  if (entries.has(path) || kindOf(path) === "manifest") return false;
  return !productFolder.test(path) || soundsLikeHelper(path) || kindOf(path) !== undefined;
}

/** What a script imports from elsewhere is what it looks at. */
function isPartOf(path: string, script: string): boolean {
  const folder = script.slice(0, script.lastIndexOf("/") + 1);
  return soundsLikeHelper(path) || (folder !== "" && path.startsWith(folder));
}

function isShellFile(path: string, text: string): boolean {
  return /\.(?:sh|bash|zsh|mk)$|(?:^|\/)[Mm]akefile$/.test(path) || /^#!.*\b(?:ba|z|da)?sh\b/.test(text);
}

/** Quotes do not matter. */
function wordsOf(text: string): readonly string[] {
  return text.split(/[\s"'`;|&()<>{}]+/).filter((word) => word !== "");
}

const interpreters =
  /^(?:node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|lua|sh|bash|zsh|dash|source|\.|exec|env|time|sudo|nice|xvfb-run)$/;
const loading =
  /^(?:-r|--require|--import|--loader|--experimental-loader|-c|--config|-f|--file|--makefile|--rcfile|-p|--project|--setup|--setupFiles|--setup-files)$/;

/** The files that a command line runs or loads; others that it names are what it looks at. */
function startedBy(text: string): readonly string[] {
  return text.split(/&&|\|\||[;|&\n()]/).flatMap((part) => {
    const words = wordsOf(part.replace(/^\s*[@-]+/, "")).flatMap((word) => word.split(/(?<=^--?[\w-]+)=/));
    const found: string[] = [];
    let isStart = true;
    for (const [at, word] of words.entries()) {
      const before = words[at - 1] ?? "";
      if (before === "-m") found.push(...moduleFiles(word));
      else if (isStart || loading.test(before)) found.push(plainPath(word));
      const isSetting =
        /^\w+=/.test(word) || word.startsWith("-") || word === "run" || interpreters.test(word);
      isStart = isStart && isSetting && before !== "-m";
    }
    return found.filter((path) => !/^[-/]|\.\./.test(path));
  });
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

/** What a script reads by name: lists and settings. */
function dataPaths(text: string, from: string): readonly string[] {
  const folder = from.includes("/") ? from.slice(0, from.lastIndexOf("/")) : "";
  return [...text.matchAll(/["'`]([\w./-]+\.(?:json|ya?ml|toml|txt|ini|cfg|rc|list))["'`]/g)].flatMap(
    ([, path = ""]) => [resolved("", path), resolved(folder, path)],
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

/** What a package gives to others is its product, however a check uses it. */
function entryPaths(manifest: Readonly<Record<string, unknown>>): readonly string[] {
  const { main, module, bin, exports, types, browser } = manifest;
  return textsIn([main, module, bin, exports, types, browser]).map((path) => path.replace(/^\.\//, ""));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
