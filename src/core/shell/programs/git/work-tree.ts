import { known, knownParts, knownStart, literal, type Text, unknownText } from "../../text.ts";
import type { Call, Effects, Program } from "../../types.ts";
import { writeTrees } from "../row/words.ts";
import { stripOf, writePatch } from "../text/patch.ts";
import { pathsOf } from "./index-use.ts";
import { gitReading } from "./options.ts";
import { isHead, looksLikePath, refuseWholeTree, writePathspecs } from "./pathspec.ts";
import { printing } from "./readers.ts";

const checkout = gitReading(
  "checkout",
  {
    values: "b B orphan pathspec-from-file",
    glued: "t,track",
    flags: "f,force d,detach m,merge p,patch 2,ours 3,theirs",
  },
  (options, effects, call) => {
    if (options.has("B"))
      return effects.refuse("refs", "`git checkout -B` moves a branch: make a new one with `-b`");
    if (options.has("d")) return effects.refuse("refs", `\`git checkout --detach\` ${leaves}`);
    if (options.has("pathspec-from-file")) return writeListed("checkout", effects);
    const { operands, dashes } = options;
    const forced = options.has("f", "m");
    if (options.has("b", "orphan")) return createBranch("checkout", operands[0], { forced, effects });
    if (dashes !== undefined && dashes < operands.length)
      return writePathspecs(operands.slice(dashes), effects);
    if (operands.length > 1) return checkoutPaths(operands, effects, call);
    const only = operands[0];
    if (only === undefined || isHead(only)) {
      if (forced || options.has("p", "2", "3")) refuseWholeTree("git checkout", effects);
    } else if (dashes === undefined && (looksLikePath(only) || isPath(only, call)))
      writePathspecs([only], effects);
    else refuseSwitch(`git checkout ${knownParts(only, "…")}`, effects);
  },
);

/** A new branch leaves the tree unchanged unless it starts at another commit. */
function createBranch(
  command: string,
  start: Text | undefined,
  { forced, effects }: { readonly forced: boolean; readonly effects: Effects },
): void {
  if (forced) refuseWholeTree(`git ${command}`, effects);
  else if (start !== undefined && !isHead(start))
    refuseSwitch(`git ${command} … ${knownParts(start, "…")}`, effects);
}

const leaves = "leaves the branch of your task: stay on it";

/** Every file that differs between the two commits is rewritten, even if another task holds it. */
function refuseSwitch(spelled: string, effects: Effects): void {
  effects.refuse(
    "refs",
    `\`${spelled}\` rewrites the whole work tree: stay on your branch, look at another commit with \`git show\`, or name the paths after \`--\``,
  );
}

/** The paths are in a file and not known before the run. */
function writeListed(command: string, effects: Effects): void {
  effects.refuse(
    "refs",
    `\`git ${command} --pathspec-from-file\` takes its paths from a file: name the paths after \`--\``,
  );
}

/** If no ref has that name, git reads the operand as a path. */
function isPath(operand: Text, { tree }: Call): boolean {
  const name = known(operand) ?? "";
  return isPlainName.test(name) && tree?.holds(name) === true && !tree.mayBeRef(name);
}

/** A name that git cannot read as a commit: no `~`, `^`, `@{`, `:`, no commit hash, no output of `git describe`. */
const isPlainName = /^(?!-)(?![\da-f]{4,64}$)(?!.*-g[\da-f]{4,64}$)(?!@$)[^~^@:\s\\]+$/i;

/** `checkout REF PATH…` or `checkout PATH…`. If a path with the first name exists, git does not read it as a ref. */
function checkoutPaths(operands: readonly Text[], effects: Effects, { tree }: Call): void {
  const [first = [], ...rest] = operands;
  const name = known(first) ?? "";
  const mayBePath = isPlainName.test(name) && !isHead(first) && tree?.holds(name) !== false;
  const isPath = mayBePath || looksLikePath(first) || /\.[A-Za-z]\w{0,7}$/.test(name);
  if (!isPath && !isHead(first)) effects.operand(first);
  writePathspecs(isPath ? operands : rest, effects);
}

const switchBranch = gitReading(
  "switch",
  {
    values: "c,create C,force-create",
    glued: "t,track",
    flags: "f,force,discard-changes m,merge",
  },
  (options, effects) => {
    if (options.has("C"))
      return effects.refuse("refs", "`git switch -C` moves a branch: make a new one with `-c`");
    const [start] = options.operands;
    if (options.has("c")) return createBranch("switch", start, { forced: options.has("f", "m"), effects });
    refuseSwitch(`git switch ${knownParts(start ?? [], "…")}`.trim(), effects);
  },
);

const restore = gitReading(
  "restore",
  {
    values: "s,source pathspec-from-file",
    flags: "S,staged W,worktree p,patch",
  },
  (options, effects) => {
    if (options.has("S") && !options.has("W")) {
      const listed = options.has("pathspec-from-file");
      return effects.index({ does: "unstage", paths: listed ? "all" : pathsOf(options.operands) });
    }
    if (options.has("pathspec-from-file")) return writeListed("restore", effects);
    if (options.operands.length > 0) writePathspecs(options.operands, effects);
    else if (options.has("p")) refuseWholeTree("git restore -p", effects);
  },
);

const rm = gitReading(
  "rm",
  { values: "pathspec-from-file", flags: "cached n,dry-run" },
  (options, effects) => {
    if (options.has("n")) return;
    if (options.has("pathspec-from-file")) return writeListed("rm", effects);
    if (options.has("cached")) return effects.index({ does: "untrack", paths: pathsOf(options.operands) });
    if (options.operands.length > 0) writePathspecs(options.operands, effects, "delete");
  },
);

const mv = gitReading("mv", { flags: "n,dry-run" }, (options, effects) => {
  if (options.has("n")) return;
  writeTrees(options.operands.slice(0, -1), effects, "move");
  writeTrees(options.operands.slice(-1), effects);
});

const clean = gitReading("clean", { values: "e,exclude", flags: "n,dry-run" }, (options, effects) => {
  if (options.has("n")) return;
  if (options.operands.length === 0)
    return writeTrees([[...literal("./"), { kind: "below" }]], effects, "delete");
  // The folder itself stays, or is created again when it is filled.
  writePathspecs(options.operands, effects, "write");
});

const reset = gitReading(
  "reset",
  {
    flags: "hard merge keep soft mixed",
  },
  (options, effects, call) => {
    if (options.has("hard", "merge", "keep"))
      return effects.refuse(
        "refs",
        "`git reset` rewrites the whole work tree: undo your own files with `git restore -- PATH`",
      );
    const { operands, dashes } = options;
    const unstage = (specs: readonly Text[]) => effects.index({ does: "unstage", paths: pathsOf(specs) });
    if (dashes !== undefined && dashes < operands.length) return unstage(operands.slice(dashes));
    if (dashes === undefined && operands.length > 1)
      return unstage(isHead(operands[0] ?? []) ? operands.slice(1) : []);
    const only = operands[0];
    const takesPaths = dashes === undefined && !options.has("soft", "mixed");
    if (only === undefined || isHead(only)) return options.has("soft") ? undefined : unstage([]);
    // If a path with that name exists, git does not read it as a commit.
    if (takesPaths && (looksLikePath(only) || call.tree?.holds(known(only) ?? "") === true))
      return unstage([only]);
    effects.refuse(
      "refs",
      `\`git reset ${knownParts(only, "…")}\` moves the branch: undo what a commit did with \`git restore --source=REF -- PATH\`; to unstage a path write \`git reset -- PATH\``,
    );
  },
);

const stash: Program = (call, effects) => {
  const verb = known(call.args[0] ?? []) ?? "";
  if (/^(?:list|show)$/.test(verb)) return printing(call, effects);
  if (verb === "create") return;
  const takes = /^(?:pop|apply|branch)$/.test(verb);
  const instead = takes
    ? "take your own files out of an entry with `git restore --source=stash@{0} -- PATH`"
    : "commit your own files instead (`git commit -m wip -- PATH`)";
  effects.refuse(
    "refs",
    `\`${`git stash ${verb}`.trim()}\` changes a list that all checkouts share, so agents would take each other's work: ${instead}`,
  );
};

const sparse: Program = (call, effects) => {
  if (!/^(?:list|check-rules)$/.test(known(call.args[0] ?? []) ?? "list"))
    refuseWholeTree("git sparse-checkout", effects);
};

const apply = gitReading(
  "apply",
  {
    values: "p C directory",
    flags: "check stat numstat summary apply cached index recount",
  },
  (options, effects, call) => {
    // Changes to the index alone are judged like changes to files.
    if (options.has("check", "stat", "numstat", "summary") && !options.has("apply")) return;
    const folder = options.value("directory");
    const inner = folder === undefined ? effects : effects.within(folder);
    const files = options.operands.filter((file) => known(file) !== "-");
    if (folder !== undefined && (files.length > 0 || call.input.kind !== "text"))
      inner.write(literal("."), "write", { tree: true });
    if (files.length > 0) return inner.opaque("the patch decides which files it writes");
    writePatch(call.input, inner, { strip: stripOf(options, 1), counts: !options.has("recount") });
  },
);

const readTree = gitReading(
  "read-tree",
  { values: "index-output", flags: "n,dry-run" },
  (options, effects) => {
    for (const file of options.all("index-output")) effects.write(file);
    if (options.has("n", "index-output")) return;
    if (options.has("u")) refuseWholeTree("git read-tree -u", effects);
    else
      effects.refuse(
        "refs",
        "`git read-tree` replaces the index, which others also use: stage files with `git add`",
      );
  },
);

/** The prefix starts at the top of the work tree. Temporary files are made there, too. */
const checkoutIndex = gitReading(
  "checkout-index",
  { values: "prefix", flags: "a,all stdin" },
  (options, effects) => {
    if (options.has("temp") || options.all("stage").some((stage) => known(stage) === "all"))
      effects.write(unknownText);
    const prefix = options.value("prefix");
    if (prefix !== undefined && knownStart(prefix).startsWith("/")) return writeTrees([prefix], effects);
    if (prefix !== undefined || options.has("a", "stdin"))
      return refuseWholeTree("git checkout-index", effects);
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
