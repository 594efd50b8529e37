import { known } from "../../text.ts";
import type { Program } from "../../types.ts";
import type { Deed } from "../row/row.ts";
import { programOf } from "../row/run-row.ts";
import { gitConfig } from "./config.ts";
import { updateUse } from "./index-use.ts";
import { gitCommand } from "./options.ts";
import { printing } from "./readers.ts";

const refs = (why: string): Deed => ({ refuses: { kind: "refs", why } });
const refuses = (why: string): Program => programOf(refs(why));

/** Refused except with these subcommands, which only read. */
const refusesUnless = (readers: string, why: string, alone: Deed = {}): Program =>
  programOf({ ...refs(why), wrapper: true, commands: { [readers]: {} }, alone });

const branch = gitCommand("branch", {
  values: "u,set-upstream-to",
  glued: "t,track",
  cases: [
    {
      when: "f,force d,delete D m,move M c,copy C",
      ...refs("`git branch` moves, renames or deletes a branch that others may use: make a new one instead"),
    },
  ],
});

const tag = gitCommand("tag", {
  values: "m,message F,file u,local-user trailer",
  glued: "n",
  cases: [
    {
      when: "f,force d,delete",
      ...refs("`git tag` moves or deletes a tag that others may use: make a new one instead"),
    },
  ],
});

const movesHead = refs("`git symbolic-ref` changes where HEAD or another ref points: leave that to a person");
const symbolicRef = gitCommand("symbolic-ref", {
  values: "m",
  cases: [
    { when: "d,delete", ...movesHead },
    { needs: 2, ...movesHead },
  ],
});

const updateIndex = gitCommand("update-index", {
  values: "cacheinfo chmod",
  cases: [
    {
      when: "assume-unchanged no-assume-unchanged skip-worktree no-skip-worktree fsmonitor-valid cacheinfo chmod index-info force-remove fsmonitor",
      ...refs("`git update-index` makes the index differ from the files: stage files with `git add`"),
    },
  ],
  also: (options, effects) => {
    if (options.has("again", "stdin")) effects.index({ does: "stage", paths: "all" });
    for (const use of updateUse(options.operands)) effects.index(use);
  },
});

const gc = gitCommand("gc", {
  glued: "prune",
  cases: [
    {
      when: "prune",
      ...refs("`git gc --prune` deletes commits that no ref leads to: run it without `--prune`"),
    },
  ],
});

const reflog: Program = (call, effects) => {
  const verb = known(call.args[0] ?? []);
  if (call.args.length > 0 && (verb === undefined || /^(?:expire|delete|drop|write)$/.test(verb)))
    effects.refuse("refs", "`git reflog` deletes the way back to earlier commits: leave that to a person");
  else printing(call, effects);
};

const maintenance = programOf({
  refuses: {
    kind: "loader",
    why: "`git maintenance` puts jobs into the system's schedule: run one with `git maintenance run`",
  },
  commands: { run: {} },
  alone: {},
});

const replace = programOf({
  cases: [
    { when: "l,list" },
    { needs: 1, ...refs("`git replace` changes history for all checkouts: add a commit instead") },
  ],
});

const refsStored = "`git refs` changes how refs are stored: leave that to a person";

export const gitRefs = new Map<string, Program>([
  ["branch", branch],
  ["tag", tag],
  ["symbolic-ref", symbolicRef],
  [
    "worktree",
    refusesUnless("list", "`git worktree` adds, moves or removes a checkout: work in your current checkout"),
  ],
  ["update-index", updateIndex],
  ["gc", gc],
  ["config", gitConfig],
  ["maintenance", maintenance],
  ["update-ref", refuses("`git update-ref` moves refs: make commits with `git commit`")],
  ...["filter-branch", "filter-repo", "fast-import", "replay"].map((name): [string, Program] => [
    name,
    refuses(`\`git ${name}\` rewrites history that others build on: add a commit instead`),
  ]),
  ["prune", refuses("`git prune` deletes commits that no ref leads to: leave that to a person")],
  [
    "notes",
    refusesUnless(
      "list show get-ref",
      "`git notes` changes notes that all checkouts share: write the text into the commit message",
    ),
  ],
  ["replace", replace],
  ["reflog", reflog],
  ["refs", refusesUnless("verify list exists", refsStored, refs(refsStored))],
]);
