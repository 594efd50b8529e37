import { concat, known, knownStart, literal, type Text, unknownText } from "../../text.ts";
import type { Action, Effects } from "../../types.ts";
import { inFolder } from "../row/words.ts";

/**
 * Reports the paths that a list of pathspecs covers. Pathspecs from the top (`:/x`, or everything except `:!x`) are
 * unknown, because the working folder may be below the top. Git's own wildcards also match `/`, so they cover
 * everything below the folder before them.
 */
export function writePathspecs(specs: readonly Text[], effects: Effects, action: Action = "write"): void {
  const positive = specs.filter((spec) => !/^:(?:[!^]|\([^)]*exclude)/.test(knownStart(spec)));
  if (positive.length === 0)
    effects.refuse("refs", "git takes every path except those after `:!`: also name the paths in your scope");
  for (const spec of positive) effects.write(pathOf(spec), action, { tree: true });
}

/** Refuses a command that rewrites the work tree from its top, independent of the working folder. */
export function refuseWholeTree(command: string, effects: Effects): void {
  effects.refuse(
    "refs",
    `\`${command}\` rewrites the whole work tree: name the paths in your scope after \`--\``,
  );
}

function pathOf(spec: Text): Text {
  const start = knownStart(spec);
  if (start.startsWith(":/") || /^:\([^)]*top/.test(start)) return concat(spec, unknownText);
  const text = known(spec);
  if (text === undefined) return spec;
  const path = text.replace(/^:\([^)]{0,100}\)/, "");
  const wild = path.search(/[*?[]/);
  if (wild < 0) return literal(path);
  const slash = path.lastIndexOf("/", wild);
  return inFolder(literal(slash < 0 ? "." : path.slice(0, slash) || "/"), [{ kind: "below" }]);
}

/**
 * Whether a single operand is a path rather than a commit, judged by its spelling. No ref is named `./x`, `x/` or
 * `*`, and `src/x.ts` is unlikely. A tag may be named `v1.x`.
 */
export function looksLikePath(operand: Text): boolean {
  const text = known(operand);
  if (text === undefined) return operand.some((piece) => piece.kind === "glob");
  if (/\^\{|@\{|^(?:refs|heads|tags|remotes|origin|upstream)\//.test(text)) return false;
  return (
    /^(?:\.{1,2}$|\.{0,2}\/|:[(!^])/.test(text) ||
    /^[^:]*[*?[]/.test(text) ||
    /\/[^/]*\.[A-Za-z][A-Za-z0-9]{0,7}$/.test(text) ||
    text.endsWith("/")
  );
}

export const isHead = (operand: Text): boolean => /^(?:HEAD|@)$/.test(known(operand) ?? "");
