import { concat, known, knownStart, literal, type Text, unknownText } from "../../text.ts";
import type { Action, Effects } from "../../types.ts";
import { inFolder } from "../row/words.ts";

/**
 * Reports what a list of pathspecs covers. From the top (`:/x`, or all but `:!x`) is unknown here, since the
 * folder we are in may lie below it; wildcards of git's own also match `/`, so they cover all below the
 * folder before them.
 */
export function writePathspecs(specs: readonly Text[], effects: Effects, action: Action = "write"): void {
  const positive = specs.filter((spec) => !/^:(?:[!^]|\([^)]*exclude)/.test(knownStart(spec)));
  if (positive.length === 0)
    effects.refuse("refs", "git takes every path but those behind `:!`: name the paths in your scope too");
  for (const spec of positive) effects.write(pathOf(spec), action, { tree: true });
}

/** The work tree from its top, wherever in it we are. */
export function refuseWholeTree(command: string, effects: Effects): void {
  effects.refuse(
    "refs",
    `\`${command}\` rewrites the whole work tree: name the paths in your scope behind \`--\``,
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
 * A lone operand that is a path rather than a commit, as far as its spelling tells: no ref is called `./x`,
 * `x/` or `*`, and none is likely to be called `src/x.ts`; but a tag may well be called `v1.x`.
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
