import { known } from "../text.ts";
import type { Program } from "../types.ts";
import { gitConfig } from "./git-config.ts";
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
      effects.refuse("refs", "a branch is moved, renamed or deleted");
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
    if (options.has("f", "d")) effects.refuse("refs", "a tag is moved or deleted");
  },
);

const symbolicRef = gitReading("symbolic-ref", { values: "m", flags: "d,delete" }, (options, effects) => {
  if (options.has("d") || options.operands.length > 1) effects.refuse("refs", "a symbolic ref is changed");
});

const worktree = refusesUnless(/^(?:list)?$/, "worktrees are added, moved or removed");

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
      effects.refuse("refs", "the index is told something other than what the files say");
    }
  },
);

const reflog: Program = (call, effects) => {
  const verb = known(call.args[0] ?? []);
  if (call.args.length > 0 && (verb === undefined || /^(?:expire|delete|drop|write)$/.test(verb)))
    effects.refuse("refs", "the way back to earlier commits is deleted");
  else printing(call, effects);
};

const gc = gitReading("gc", { glued: "prune" }, (options, effects) => {
  if (options.has("prune")) effects.refuse("refs", "unreachable commits are deleted");
});

const maintenance: Program = (call, effects) => {
  if (!/^(?:run)?$/.test(known(call.args[0] ?? []) ?? ""))
    effects.refuse("loader", "jobs are put into the system's schedule");
};

export const gitRefs = new Map<string, Program>([
  ["branch", branch],
  ["tag", tag],
  ["symbolic-ref", symbolicRef],
  ["worktree", worktree],
  ["update-index", updateIndex],
  ["gc", gc],
  ["config", gitConfig],
  ["maintenance", maintenance],
  ["update-ref", refuses("refs are moved")],
  ["filter-branch", refuses("history is rewritten")],
  ["filter-repo", refuses("history is rewritten")],
  ["fast-import", refuses("history is written")],
  ["replay", refuses("history is rewritten")],
  ["prune", refuses("unreachable commits are deleted")],
  ["notes", refusesUnless(/^(?:list|show|get-ref)?$/, "notes are refs that worktrees share")],
  ["replace", refusesUnless(/^(?:-l|--list)?$/, "replaced objects change history for everybody")],
  ["reflog", reflog],
  ["refs", refusesUnless(/^(?:verify|list|exists)$/, "refs are moved")],
]);
