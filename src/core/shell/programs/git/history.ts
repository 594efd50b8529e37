import { keysOf, type OptionSpec } from "../../read-options.ts";
import { known } from "../../text.ts";
import type { Program } from "../../types.ts";
import { writeTrees } from "../row/words.ts";
import { writePatch } from "../text/patch.ts";
import { add, commitUse } from "./index-use.ts";
import { gitReading } from "./options.ts";
import { printing } from "./readers.ts";

/** The alternative to commands that write the git folder, which is read-only inside the lock. */
const useRestore =
  "take files of another commit with `git restore --source=REF -- PATH`, and leave the rest to a person";

const noVerify = "skips the checks that run before a commit or merge: run it without `--no-verify`";

const commit = gitReading(
  "commit",
  {
    values: "m,message F,file C,reuse-message c,reedit-message t,template pathspec-from-file",
    glued: "u,untracked-files S,gpg-sign",
    flags: "n,no-verify a,all i,include o,only p,patch interactive dry-run",
  },
  (options, effects) => {
    if (options.has("n")) effects.refuse("no-verify", `\`git commit\` ${noVerify}`);
    for (const use of commitUse(options)) effects.index(use);
  },
);

/** Commands that bring other changes into the tree. The rewritten files are not known before the run. */
function mergesChanges(command: Parameters<typeof gitReading>[0], spec: OptionSpec, why: string): Program {
  const flags = spec.flags ?? "no-verify";
  return gitReading(command, { ...spec, flags }, (options, effects) => {
    if (options.has(...keysOf(flags))) effects.refuse("no-verify", `\`git ${command}\` ${noVerify}`);
    for (const url of options.operands) {
      if (/^ext::/.test(known(url) ?? ""))
        effects.refuse("loader", "an `ext::` address runs a command: use an https or ssh address");
    }
    if (options.has("upload-pack")) effects.refuse("loader", "`--upload-pack` runs a program: leave it out");
    const rebase = options.value("rebase", "r") ?? [];
    if (options.has("rebase", "r") && known(rebase) !== "false") {
      effects.refuse("refs", `\`git pull --rebase\` rewrites the branch: ${useRestore}`);
    }
    writeTrees(options.all("directory"), effects);
    effects.opaque(why);
  });
}

const merge = mergesChanges(
  "merge",
  { values: "m,message F,file s,strategy X,strategy-option", glued: "S,gpg-sign" },
  "the files that the merge rewrites are not known before it runs",
);

const am = mergesChanges(
  "am",
  { values: "C p directory", glued: "S,gpg-sign", flags: "n,no-verify" },
  "the patches decide which files they write",
);

const amChecked: Program = (call, effects) => {
  if (call.input.kind === "text") writePatch(call.input, effects, { strip: 1, counts: true });
  am(call, effects);
};

const pull = mergesChanges(
  "pull",
  { values: "s,strategy X,strategy-option upload-pack o,server-option", glued: "j,jobs r,rebase S,gpg-sign" },
  "the files that the pull rewrites are not known before it runs",
);

const pick = (command: "cherry-pick" | "revert") =>
  mergesChanges(
    command,
    { values: "m,mainline s,strategy X,strategy-option empty", glued: "S,gpg-sign" },
    "the files that the commits rewrite are not known before it runs",
  );

const rebase: Program = (call, effects) => {
  if (call.args.some((word) => known(word) === "--show-current-patch")) return;
  effects.refuse("refs", `\`git rebase\` rewrites the branch: ${useRestore}`);
};

const bisect: Program = (call, effects) => {
  const [verb, ...rest] = call.args;
  const name = known(verb ?? []) ?? "";
  if (/^(?:log|view|visualize|terms|help)?$/.test(name)) return printing(call, effects);
  if (name === "run") effects.run(rest);
  effects.refuse(
    "refs",
    "`git bisect` checks out other commits: look at them with `git show` or `git log -S`",
  );
};

export const gitHistory = new Map<string, Program>([
  ["add", add],
  ["stage", add],
  ["commit", commit],
  ["merge", merge],
  ["am", amChecked],
  ["pull", pull],
  ["cherry-pick", pick("cherry-pick")],
  ["revert", pick("revert")],
  ["rebase", rebase],
  ["bisect", bisect],
  ["mergetool", (_, effects) => effects.opaque("it opens another program")],
  ["quiltimport", (_, effects) => effects.opaque("the patches decide which files they write")],
]);
