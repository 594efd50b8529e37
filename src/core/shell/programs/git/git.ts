import { type Options, optionReader } from "../../read-options.ts";
import { known, literal } from "../../text.ts";
import type { Effects, Program } from "../../types.ts";
import { mention } from "../row/words.ts";
import { whyNotSetting } from "./config.ts";
import { gitHistory } from "./history.ts";
import { hooksOf } from "./hooks.ts";
import { gitPlumbing } from "./plumbing.ts";
import { gitReaders } from "./readers.ts";
import { gitRefs } from "./refs.ts";
import { gitRemotes } from "./remotes.ts";
import { gitWorkTree } from "./work-tree.ts";

const commands: ReadonlyMap<string, Program> = new Map([
  ...gitReaders,
  ...gitWorkTree,
  ...gitHistory,
  ...gitRefs,
  ...gitRemotes,
  ...gitPlumbing,
]);

const readGlobals = optionReader({
  values: "C c git-dir work-tree namespace super-prefix config-env attr-source list-cmds",
  glued: "exec-path",
  flags:
    "p,paginate P,no-pager no-replace-objects bare v,version h,help html-path man-path info-path no-optional-locks icase-pathspecs",
  wrapper: true,
});

const git: Program = (call, effects) => {
  const globals = readGlobals(call.args);
  reportGlobals(globals, effects);
  let inner = effects;
  for (const folder of globals.all("C")) inner = inner.within(folder);
  const [word, ...args] = globals.operands;
  if (word === undefined || globals.has("v", "h")) return;
  const asked = known(args[0] ?? []);
  if (args.length === 1 && (asked === "--help" || asked === "-h")) return;
  const name = known(word);
  if (name === undefined)
    return inner.refuse(
      "unresolved-command",
      "git runs a subcommand that is not known before it runs: write its name out",
    );
  const command = commands.get(name);
  if (call.isOwnRepository?.(globals.all("C")) === false)
    inner.opaque("the settings of another repository may name programs that git runs");
  else if (!gitReaders.has(name)) inner.hooks(hooksOf(name));
  const tree = globals.has("C") ? undefined : call.tree;
  if (command !== undefined) return command({ name, args, input: call.input, tree }, inner);
  inner.opaque(`nothing is known about \`git ${name}\``);
  mention(args, inner);
};

function reportGlobals(globals: Options, effects: Effects): void {
  for (const setting of globals.all("c")) {
    const why = whyNotSetting(setting);
    if (why !== undefined) effects.refuse("loader", why);
  }
  if (globals.has("config-env"))
    effects.refuse(
      "loader",
      "`--config-env` takes a setting from the environment: write the setting out with `git -c`",
    );
  if (globals.has("git-dir", "work-tree")) {
    effects.refuse(
      "loader",
      "`--git-dir` and `--work-tree` point git at another repository: use `git -C FOLDER`",
    );
  }
  if (globals.has("icase-pathspecs"))
    effects.refuse(
      "loader",
      "`--icase-pathspecs` also matches files with other names: write the paths exactly",
    );
  if (globals.value("exec-path") !== undefined)
    effects.refuse("loader", "`--exec-path` makes git run programs from another folder: leave it out");
}

/** `git-foo` is the same as `git foo`. */
function dashed(name: string): [string, Program] {
  return [
    `git-${name}`,
    (call, effects) => git({ ...call, name: "git", args: [literal(name), ...call.args] }, effects),
  ];
}

export const gits = new Map<string, Program>([
  ["git", git],
  ["hub", git],
  ...[...commands.keys()].map(dashed),
  ...["gitk", "tig", "lazygit", "git-gui"].map((name): [string, Program] => [
    name,
    (_, effects) => effects.opaque("it is an interactive program for people"),
  ]),
]);
