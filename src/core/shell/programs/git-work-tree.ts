import { known, knownStart, literal, type Text } from "../text.ts";
import type { Effects, Program } from "../types.ts";
import { reading, writeTrees } from "./describe.ts";
import { isHead, looksLikePath, writePathspecs, writeWholeTree } from "./git-pathspec.ts";
import { printing } from "./git-readers.ts";
import { stripOf, writePatch } from "./patch.ts";

const checkout = reading(
  {
    values: "b B orphan conflict pathspec-from-file",
    glued: "t,track recurse-submodules",
    flags:
      "q,quiet f,force d,detach m,merge p,patch 2,ours 3,theirs l no-track guess no-guess overlay no-overlay",
  },
  (options, effects) => {
    if (options.has("B")) return effects.refuse("refs", "checkout -B moves a branch");
    if (options.has("d")) return effects.refuse("refs", "checkout --detach leaves the branch");
    if (options.has("pathspec-from-file")) return writeWholeTree(effects);
    const { operands, dashes } = options;
    const forced = options.has("f", "m");
    if (options.has("b", "orphan")) return createBranch(operands[0], forced, effects);
    if (dashes !== undefined && dashes < operands.length)
      return writePathspecs(operands.slice(dashes), effects);
    if (operands.length > 1) return checkoutPaths(operands, effects);
    const only = operands[0];
    if (only === undefined || isHead(only)) {
      if (forced || options.has("p", "2", "3")) writeWholeTree(effects);
    } else if (dashes === undefined && looksLikePath(only)) writePathspecs([only], effects);
    else writeWholeTree(effects);
  },
);

/** A new branch leaves the tree alone unless it starts elsewhere. */
function createBranch(start: Text | undefined, forced: boolean, effects: Effects): void {
  if (forced || (start !== undefined && !isHead(start))) writeWholeTree(effects);
}

/** `checkout REF PATH…` or `checkout PATH…`: the first operand may be either. */
function checkoutPaths(operands: readonly Text[], effects: Effects): void {
  const [first = [], ...rest] = operands;
  const isPath = looksLikePath(first) || /\.[A-Za-z]\w{0,7}$/.test(known(first) ?? "");
  if (!isPath && !isHead(first)) effects.operand(first);
  writePathspecs(isPath ? operands : rest, effects);
}

const switchBranch = reading(
  {
    values: "c,create C,force-create orphan conflict",
    glued: "t,track recurse-submodules",
    flags: "d,detach f,force,discard-changes m,merge q,quiet guess no-guess ignore-other-worktrees",
  },
  (options, effects) => {
    if (options.has("C")) return effects.refuse("refs", "switch -C moves a branch");
    if (options.has("c")) return createBranch(options.operands[0], options.has("f", "m"), effects);
    writeWholeTree(effects);
  },
);

const restore = reading(
  {
    values: "s,source conflict pathspec-from-file",
    flags: "S,staged W,worktree q,quiet p,patch ours theirs m,merge overlay no-overlay",
  },
  (options, effects) => {
    if (options.has("S") && !options.has("W")) return;
    if (options.has("pathspec-from-file")) return writeWholeTree(effects);
    if (options.operands.length > 0) writePathspecs(options.operands, effects);
  },
);

const rm = reading(
  { values: "pathspec-from-file", flags: "cached n,dry-run r f,force q,quiet ignore-unmatch sparse" },
  (options, effects) => {
    if (options.has("cached", "n")) return;
    if (options.has("pathspec-from-file")) return writeWholeTree(effects, "delete");
    if (options.operands.length > 0) writePathspecs(options.operands, effects, "delete");
  },
);

const mv = reading({ flags: "n,dry-run f,force k v,verbose sparse" }, (options, effects) => {
  if (options.has("n")) return;
  writeTrees(options.operands.slice(0, -1), effects, "move");
  writeTrees(options.operands.slice(-1), effects);
});

const clean = reading(
  { values: "e,exclude", flags: "n,dry-run f,force d x X q,quiet i,interactive" },
  (options, effects) => {
    if (options.has("n")) return;
    if (options.operands.length === 0)
      return writeTrees([[...literal("./"), { kind: "below" }]], effects, "delete");
    // The folder itself stays, or is made again by whatever fills it.
    writePathspecs(options.operands, effects, "write");
  },
);

const reset = reading(
  {
    values: "pathspec-from-file",
    flags: "hard merge keep soft mixed q,quiet p,patch N,intent-to-add no-refresh recurse-submodules",
  },
  (options, effects) => {
    if (options.has("hard", "merge", "keep")) return effects.refuse("refs", "reset rewrites the whole tree");
    const { operands, dashes } = options;
    if (dashes !== undefined ? dashes < operands.length : operands.length > 1) return;
    const only = operands[0];
    const takesPaths = dashes === undefined && !options.has("soft", "mixed");
    if (only === undefined || isHead(only) || (takesPaths && looksLikePath(only))) return;
    effects.refuse("refs", "reset moves the branch");
  },
);

const stash: Program = (call, effects) => {
  const verb = known(call.args[0] ?? []) ?? "";
  if (/^(?:list|show)$/.test(verb)) return printing(call, effects);
  if (verb === "create") return;
  const push = verb === "" || verb === "push" || verb.startsWith("-");
  if (push) return stashPush({ ...call, args: verb === "push" ? call.args.slice(1) : call.args }, effects);
  effects.refuse("refs", `stash ${verb} rewrites the tree and a ref that worktrees share`);
};

const stashPush = reading(
  {
    values: "m,message pathspec-from-file",
    flags: "p,patch S,staged k,keep-index no-keep-index q,quiet u,include-untracked a,all",
  },
  (options, effects) => {
    if (options.operands.length > 0) return writePathspecs(options.operands, effects);
    effects.refuse("refs", "stash takes the whole tree away");
  },
);

const sparse: Program = (call, effects) => {
  if (!/^(?:list|check-rules)$/.test(known(call.args[0] ?? []) ?? "list")) writeWholeTree(effects);
};

const apply = reading(
  {
    values: "p directory exclude include whitespace C build-fake-ancestor",
    flags:
      "check stat numstat summary apply cached index 3,3way R,reverse reject N,intent-to-add unsafe-paths q,quiet v,verbose recount z allow-empty",
  },
  (options, effects, call) => {
    const onlyLooks = options.has("check", "stat", "numstat", "summary") && !options.has("apply");
    if (onlyLooks || (options.has("cached") && !options.has("index"))) return;
    const folder = options.value("directory");
    const inner = folder === undefined ? effects : effects.within(folder);
    const files = options.operands.filter((file) => known(file) !== "-");
    if (folder !== undefined && (files.length > 0 || call.input.kind !== "text"))
      inner.write(literal("."), "write", { tree: true });
    if (files.length > 0) return inner.opaque("the patch names what it writes");
    writePatch(call.input, inner, { strip: stripOf(options, 1), counts: !options.has("recount") });
  },
);

const readTree = reading(
  { values: "prefix index-output exclude-per-directory", flags: "u m reset i n,dry-run aggressive" },
  (options, effects) => {
    for (const file of options.all("index-output")) effects.write(file);
    if (options.has("u") && !options.has("n")) writeWholeTree(effects);
  },
);

/** The prefix is taken from the top of the work tree. */
const checkoutIndex = reading(
  { values: "prefix stage", flags: "a,all f,force u q n stdin temp z" },
  (options, effects) => {
    const prefix = options.value("prefix");
    if (prefix !== undefined && knownStart(prefix).startsWith("/")) return writeTrees([prefix], effects);
    if (prefix !== undefined) return writeWholeTree(effects);
    if (options.has("a", "stdin")) return writeWholeTree(effects);
    writeTrees(options.operands, effects);
  },
);

export const gitWorkTree = new Map<string, Program>([
  ["checkout", checkout],
  ["switch", switchBranch],
  ["restore", restore],
  ["rm", rm],
  ["mv", mv],
  ["clean", clean],
  ["reset", reset],
  ["stash", stash],
  ["sparse-checkout", sparse],
  ["apply", apply],
  ["read-tree", readTree],
  ["checkout-index", checkoutIndex],
]);
