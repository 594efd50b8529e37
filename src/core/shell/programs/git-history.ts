import type { OptionSpec } from "../read-options.ts";
import { known } from "../text.ts";
import type { Program } from "../types.ts";
import { reading, readsOnly, writeTrees } from "./describe.ts";
import { printing } from "./git-readers.ts";
import { writePatch } from "./patch.ts";

const noVerify = "skips the checks that run before a commit or merge";

const commit = reading(
  {
    values:
      "m,message F,file C,reuse-message c,reedit-message t,template author date fixup squash cleanup trailer pathspec-from-file",
    glued: "u,untracked-files S,gpg-sign",
    flags:
      "n,no-verify a,all p,patch s,signoff amend q,quiet v,verbose e,edit o,only i,include allow-empty no-edit no-post-rewrite z",
  },
  (options, effects) => {
    if (options.has("n")) effects.refuse("no-verify", `git commit ${noVerify}`);
  },
);

/** Commands that bring others' changes into the tree; which files they rewrite is known only afterwards. */
function bringing(spec: OptionSpec, why: string): Program {
  return reading({ ...spec, flags: `${spec.flags ?? ""} no-verify` }, (options, effects, call) => {
    if (options.has("no-verify")) effects.refuse("no-verify", `git ${call.name} ${noVerify}`);
    for (const url of options.operands) {
      if (/^ext::/.test(known(url) ?? "")) effects.refuse("loader", "an ext:: address runs a command");
    }
    if (options.has("upload-pack")) effects.refuse("loader", "--upload-pack runs a program");
    const rebase = options.value("rebase", "r") ?? [];
    if (options.has("rebase", "r") && known(rebase) !== "false") {
      effects.refuse("refs", "pull --rebase rewrites the branch");
    }
    writeTrees(options.all("directory"), effects);
    effects.opaque(why);
  });
}

const merge = bringing(
  {
    values: "m,message F,file s,strategy X,strategy-option into-name cleanup",
    glued: "S,gpg-sign log",
    flags: "n q,quiet e,edit ff no-ff ff-only squash commit no-commit abort quit continue signoff",
  },
  "which files the merge rewrites is known afterwards",
);

const am = bringing(
  {
    values: "C p directory exclude include whitespace patch-format empty quoted-cr",
    glued: "S,gpg-sign show-current-patch",
    flags: "s,signoff k,keep 3,3way i q,quiet continue skip abort quit retry R reject",
  },
  "the patches name what they write",
);

const amChecked: Program = (call, effects) => {
  const short = call.args.some((word) => /^-[a-zA-Z3]*n/.test(known(word) ?? ""));
  if (short) effects.refuse("no-verify", `git am ${noVerify}`);
  if (call.input.kind === "text") writePatch(call.input, effects, { strip: 1, counts: true });
  am(call, effects);
};

const pull = bringing(
  {
    values:
      "s,strategy X,strategy-option j,jobs upload-pack depth deepen shallow-since shallow-exclude o,server-option refmap negotiation-tip cleanup",
    glued: "r,rebase S,gpg-sign recurse-submodules",
    flags:
      "n q v e ff no-ff ff-only squash commit no-commit all a append f force k keep t tags p prune 4 6 no-rebase",
  },
  "which files the pull rewrites is known afterwards",
);

const pick = bringing(
  {
    values: "m,mainline s,strategy X,strategy-option cleanup empty",
    glued: "S,gpg-sign",
    flags: "n,no-commit e,edit x signoff ff allow-empty continue abort quit skip",
  },
  "which files the commits rewrite is known afterwards",
);

const rebase: Program = (call, effects) => {
  if (call.args.some((word) => known(word) === "--show-current-patch")) return;
  effects.refuse("refs", "rebase rewrites the branch");
};

const bisect: Program = (call, effects) => {
  const [verb, ...rest] = call.args;
  const name = known(verb ?? []) ?? "";
  if (/^(?:log|view|visualize|terms|help)?$/.test(name)) return printing(call, effects);
  if (name === "run") effects.run(rest);
  effects.refuse("refs", "bisect checks out other commits");
};

export const gitHistory = new Map<string, Program>([
  ["add", readsOnly],
  ["stage", readsOnly],
  ["commit", commit],
  ["merge", merge],
  ["am", amChecked],
  ["pull", pull],
  ["cherry-pick", pick],
  ["revert", pick],
  ["rebase", rebase],
  ["bisect", bisect],
  ["mergetool", (_, effects) => effects.opaque("it opens another program")],
  ["quiltimport", (_, effects) => effects.opaque("the patches name what they write")],
]);
