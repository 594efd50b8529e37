import { readEntry } from "../../../core/paths/entry.ts";
import { Scope } from "../../../core/paths/scope.ts";
import type { SourceTree } from "../source-tree.ts";
import { below, foldersAbove } from "./tree-files.ts";

const place = { root: "/project" };
const patternsMax = 1000;

interface Pattern {
  readonly scope: Scope;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
}

/** Paths that the tree's `.gitignore` files exclude. They are built later, so they are missing in every tree. */
export class IgnoredPaths {
  readonly #tree: SourceTree;
  readonly #patterns = new Map<string, readonly Pattern[]>();
  #loaded = false;

  constructor(tree: SourceTree) {
    this.#tree = tree;
  }

  /** Everything below an ignored folder is ignored. */
  has(path: string): boolean {
    const folders = foldersAbove(path).toReversed().slice(1);
    return folders.some((folder) => this.#ignores(folder, true)) || this.#ignores(path, false);
  }

  #ignores(path: string, isFolder: boolean): boolean {
    let ignored = false;
    for (const folder of foldersAbove(path).toReversed())
      for (const { scope, negated, foldersOnly } of this.#patternsIn(folder))
        if ((isFolder || !foldersOnly) && scope.entryOf(path) !== undefined) ignored = !negated;
    return ignored;
  }

  #patternsIn(folder: string): readonly Pattern[] {
    const known = this.#patterns.get(folder);
    if (known !== undefined) return known;
    if (!this.#loaded)
      this.#tree.load(this.#tree.paths().filter((path) => /(?:^|\/)\.gitignore$/.test(path)));
    this.#loaded = true;
    const lines = this.#tree.text(below(folder, ".gitignore"))?.split(/\r?\n/, patternsMax) ?? [];
    const patterns = lines.flatMap((line) => readPattern(line, folder));
    this.#patterns.set(folder, patterns);
    return patterns;
  }
}

function readPattern(line: string, folder: string): Pattern[] {
  const text = line.replace(/(?<!\\) +$/, "");
  if (text === "" || text.startsWith("#")) return [];
  const negated = text.startsWith("!");
  const pattern = (negated ? text.slice(1) : text).replace(/\\([[\]])/g, "$1");
  // To git a brace means itself, and few names have one.
  if (pattern.includes("{")) return [];
  const foldersOnly = pattern.endsWith("/");
  const name = pattern.replace(/\/$/, "");
  const anchored = name.includes("/");
  const result = readEntry(below(folder, anchored ? name.replace(/^\//, "") : `**/${name}`), place);
  return "error" in result ? [] : [{ scope: new Scope([result.entry], place), negated, foldersOnly }];
}
