import { known } from "../text.ts";
import type { Program } from "../types.ts";
import { gitConfig } from "./git-config.ts";
import { updateUse } from "./git-index.ts";
import { gitReading } from "./git-options.ts";
import { printing } from "./git-readers.ts";

function refuses(why: string): Program {
  return (_, effects) => effects.refuse("refs", why);
}

/** Refused but for these first words, which only look. */
function refusesUnless(looks: RegExp, why: string): Program {
  return (call, effects) => {
    const verb = known(call.args[0] ?? []);
    if (verb === undefined || !looks.test(verb)) effects.refuse("refs", why);
  };
}

const branch = gitReading(
  "branch",
  {
    values: "u,set-upstream-to",
    glued: "t,track",
    flags: "f,force d,delete m,move c,copy",
  },
  (options, effects) => {
    if (options.has("f", "D", "d", "m", "M", "c", "C"))
      effects.refuse(
        "refs",
        "`git branch` moves, renames or deletes a branch that others may use: make a new one instead",
      );
  },
);

const tag = gitReading(
  "tag",
  {
    values: "m,message F,file u,local-user trailer",
    glued: "n",
    flags: "f,force d,delete",
  },
  (options, effects) => {
    if (options.has("f", "d"))
      effects.refuse("refs", "`git tag` moves or deletes a tag that others may use: make a new one instead");
  },
);

const symbolicRef = gitReading("symbolic-ref", { values: "m", flags: "d,delete" }, (options, effects) => {
  if (options.has("d") || options.operands.length > 1)
    effects.refuse(
      "refs",
      "`git symbolic-ref` changes what HEAD or another ref stands for: leave that to a person",
    );
});

const worktree = refusesUnless(
  /^(?:list)?$/,
  "`git worktree` adds, moves or removes a checkout: work in the one you have",
);

const updateIndex = gitReading(
  "update-index",
  {
    values: "cacheinfo chmod",
    flags:
      "assume-unchanged no-assume-unchanged skip-worktree no-skip-worktree index-info force-remove fsmonitor fsmonitor-valid",
  },
  (options, effects) => {
    const hides = [
      "assume-unchanged",
      "no-assume-unchanged",
      "skip-worktree",
      "no-skip-worktree",
      "fsmonitor-valid",
    ];
    if (options.has(...hides, "cacheinfo", "chmod", "index-info", "force-remove", "fsmonitor")) {
      effects.refuse(
        "refs",
        "`git update-index` tells the index something other than what the files say: stage files with `git add`",
      );
    }
    if (options.has("again", "stdin")) effects.index({ does: "stage", paths: "all" });
    for (const use of updateUse(options.operands)) effects.index(use);
  },
);

const reflog: Program = (call, effects) => {
  const verb = known(call.args[0] ?? []);
  if (call.args.length > 0 && (verb === undefined || /^(?:expire|delete|drop|write)$/.test(verb)))
    effects.refuse("refs", "`git reflog` deletes the way back to earlier commits: leave that to a person");
  else printing(call, effects);
};

const gc = gitReading("gc", { glued: "prune" }, (options, effects) => {
  if (options.has("prune"))
    effects.refuse("refs", "`git gc --prune` deletes commits that no ref leads to: run it without `--prune`");
});

const maintenance: Program = (call, effects) => {
  if (!/^(?:run)?$/.test(known(call.args[0] ?? []) ?? ""))
    effects.refuse(
      "loader",
      "`git maintenance` puts jobs into the system's schedule: run one with `git maintenance run`",
    );
};

const rewrites = "rewrites history that others build on: add a commit instead";

export const gitRefs = new Map<string, Program>([
  ["branch", branch],
  ["tag", tag],
  ["symbolic-ref", symbolicRef],
  ["worktree", worktree],
  ["update-index", updateIndex],
  ["gc", gc],
  ["config", gitConfig],
  ["maintenance", maintenance],
  ["update-ref", refuses("`git update-ref` moves refs: make commits with `git commit`")],
  ["filter-branch", refuses(`\`git filter-branch\` ${rewrites}`)],
  ["filter-repo", refuses(`\`git filter-repo\` ${rewrites}`)],
  ["fast-import", refuses(`\`git fast-import\` ${rewrites}`)],
  ["replay", refuses(`\`git replay\` ${rewrites}`)],
  ["prune", refuses("`git prune` deletes commits that no ref leads to: leave that to a person")],
  [
    "notes",
    refusesUnless(
      /^(?:list|show|get-ref)?$/,
      "`git notes` changes notes that all checkouts share: put it into the commit message",
    ),
  ],
  [
    "replace",
    refusesUnless(/^(?:-l|--list)?$/, "`git replace` changes history for everybody: add a commit instead"),
  ],
  ["reflog", reflog],
  [
    "refs",
    refusesUnless(
      /^(?:verify|list|exists)$/,
      "`git refs` rewrites how refs are stored: leave that to a person",
    ),
  ],
]);
