import type { Options } from "../../read-options.ts";
import { known, knownStart, type Text } from "../../text.ts";
import type { IndexUse, Program } from "../../types.ts";
import { programOf } from "../row/run-row.ts";

/** The paths passed to git; `all` if one of them is unknown. */
export function pathsOf(specs: readonly Text[]): IndexUse["paths"] {
  const words = specs.map(known);
  return words.length === 0 || words.includes(undefined) ? "all" : (words as string[]);
}

/** `git add` also stages changes that others made in the given paths. */
export const add: Program = programOf({
  values: "chmod",
  glued: "pathspec-from-file",
  flags:
    "n,dry-run v,verbose f,force i,interactive p,patch e,edit u,update A,all,no-ignore-removal N refresh",
  also: (options, effects) => {
    if (options.has("n", "refresh")) return;
    const listed = options.has("pathspec-from-file");
    const isAsked = listed || options.has("A", "u", "i", "p", "e") || options.operands.length > 0;
    if (!isAsked) return; // `git add` alone does nothing
    effects.index({
      does: "stage",
      paths: listed ? "all" : pathsOf(options.operands),
      ...(options.has("u") ? { only: "tracked" } : options.has("f") ? { only: "any" } : {}),
    });
  },
});

/** A commit takes the whole index, or only the given paths. */
export function commitUse(options: Options): readonly IndexUse[] {
  if (options.has("dry-run")) return [];
  const { operands } = options;
  const listed = options.has("pathspec-from-file");
  if (options.has("i", "p", "interactive") || listed)
    return [
      { does: "commit", paths: "all" },
      { does: "stage", paths: listed ? "all" : pathsOf(operands) },
    ];
  if (operands.length > 0) {
    const paths = pathsOf(operands);
    // Changes that are already staged are not a difference between the files and the index.
    return [
      { does: "stage", paths },
      { does: "commit", paths },
    ];
  }
  const all: IndexUse = { does: "commit", paths: "all" };
  return options.has("a") ? [all, { does: "stage", paths: "all", only: "tracked" }] : [all];
}

/** `git update-index PATH…` stages the files unchanged. */
export function updateUse(operands: readonly Text[]): readonly IndexUse[] {
  const paths = operands.filter((word) => !knownStart(word).startsWith("-"));
  return paths.length === 0 ? [] : [{ does: "stage", paths: pathsOf(paths) }];
}
