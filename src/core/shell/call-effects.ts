import { assign } from "./assign.ts";
import type { Machine } from "./machine.ts";
import type { Report } from "./report.ts";
import { enteredFolder, folderFrom } from "./resolve-path.ts";
import { knownStart, type Text } from "./text.ts";
import type { Action, Because, Call, Effects, IndexUse, RefusalKind, RunOptions } from "./types.ts";
import { childWorld, type World, withCwd, withExported, withoutEnvironment, withVariable } from "./world.ts";

/** Reports the effects that a program's description declares, and follows the commands that the program runs. */
export function callEffects(m: Machine, call: Call, world: World): Effects {
  const effects = effectsOf(m, call, world);
  if (m.context.why !== true) return effects;
  const cause = { row: `\`${call.name}\` (built in)`, what: "decided in code" };
  return explained(m.report, effects, cause);
}

/** The same effects, each with the row and words that caused it. */
function explained(report: Report, effects: Effects, start: Because): Effects {
  let cause = start;
  const withCause =
    <Args extends unknown[]>(effect: (...args: Args) => void) =>
    (...args: Args) => {
      report.because = cause;
      effect(...args);
      report.because = undefined;
    };
  return {
    write: withCause(effects.write),
    refuse: withCause(effects.refuse),
    opaque: withCause(effects.opaque),
    hooks: withCause(effects.hooks),
    index: withCause(effects.index),
    operand: withCause(effects.operand),
    code: withCause(effects.code),
    run: effects.run,
    shell: effects.shell,
    within: (folder) => explained(report, effects.within(folder), cause),
    because: (row, what) => {
      cause = { row: row ?? start.row, what };
    },
  };
}

function effectsOf(m: Machine, call: Call, world: World): Effects {
  const { report } = m;
  const by = call.name;
  return {
    write(target: Text, action: Action = "write", { tree = false, sourcesOnly = false } = {}) {
      report.write(by, target, world, { action, tree, sourcesOnly });
    },
    refuse(kind: RefusalKind, why: string) {
      report.refuse(kind, why);
    },
    opaque(why: string, { script, ...options } = {}) {
      const path = script === undefined ? undefined : folderFrom(script, world.cwd);
      report.opaque(by, why, path === undefined ? options : { ...options, script: path });
    },
    hooks(names: readonly string[]) {
      if (keepsSettings(world)) report.hooks(names);
      else report.opaque(by, "its hooks run with an environment in which they cannot be sandboxed");
    },
    index(use: IndexUse) {
      report.index({ ...use, from: world.cwd });
    },
    operand(text: Text) {
      report.mention(by, text, world, true);
    },
    code(text: Text) {
      report.mention(by, text, world, false);
    },
    run(words: readonly Text[], options: RunOptions = {}) {
      const inner = withEnvironment(m, innerWorld(call, world), options.env);
      m.run(words, inner, options.input ?? call.input, { plain: true, asFile: true });
    },
    shell(code: Text, args: readonly Text[] = []) {
      const child = childWorld(innerWorld(call, world), args.slice(1));
      const named = args[0] === undefined ? child : withVariable(child, "0", [args[0]]);
      m.subshell(code, named, call.input);
    },
    within(folder: Text) {
      return effectsOf(m, call, withCwd(world, enteredFolder(folder, world.cwd, m)));
    },
  };
}

/** Git finds the sandboxed hooks through GIT_CONFIG variables in its environment. */
function keepsSettings({ inherits, variables }: World): boolean {
  return inherits && ![...variables.keys()].some((name) => name.startsWith("GIT_CONFIG"));
}

/** Programs that start others as another user, on another machine, or later. */
const changesEnvironment =
  /^(?:sudo|su|runuser|doas|pkexec|gosu|su-exec|ssh|docker|podman|nerdctl|kubectl|oc|nsenter|chroot|machinectl|systemd-run|at|batch|crontab|launchctl|flatpak|nix|nix-shell|bwrap|firejail|unshare|lxc|wsl|vagrant)$/;

/** `env` keeps the environment unless its first word is an option. */
function innerWorld({ name, args }: Call, world: World): World {
  const changes = name === "env" ? knownStart(args[0] ?? []).startsWith("-") : changesEnvironment.test(name);
  return changes ? withoutEnvironment(world) : world;
}

function withEnvironment(m: Machine, world: World, env: RunOptions["env"] = []): World {
  const assigned = env.reduce((current, { name, value }) => assign(m, current, name, [value]), world);
  return withExported(
    assigned,
    env.map(({ name }) => name),
  );
}
