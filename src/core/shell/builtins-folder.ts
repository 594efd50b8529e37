import type { Builtin, BuiltinCall } from "./builtins.ts";
import { folderFrom } from "./resolve-path.ts";
import { known, knownStart, literal, type Text } from "./text.ts";
import { both, type Outcome, type World, withCwd } from "./world.ts";

/** Commands that change, or print, the working folder. */
export const folderBuiltins: Readonly<Record<string, Builtin>> = {
  cd: (call) => changeFolder(call, operandOf(call.args) ?? homeOf(call)),
  pushd: (call) => {
    const target = operandOf(call.args);
    if (target === undefined || /^[+-]\d+$/.test(knownStart(target))) return toTop(call);
    const stack = [call.world.cwd, ...call.world.stack];
    return mapWorlds(changeFolder(call, target), (world) =>
      world === call.world ? world : { ...world, stack },
    );
  },
  popd: toTop,
  dirs: ({ world }) => both(world),
  pwd: ({ world }) => both(world, world.cwd === undefined ? undefined : literal(`${world.cwd}\n`)),
};

function operandOf(args: readonly Text[]): Text | undefined {
  return args.find((arg) => !/^-[LPen@]+$/.test(knownStart(arg)) && known(arg) !== "--");
}

function homeOf({ m }: BuiltinCall): Text {
  return m.context.home === undefined
    ? [{ kind: "unknown", source: "environment" }]
    : literal(m.context.home);
}

/** Where the folder may not exist, the shell may stay where it was: both must be reckoned with. */
function changeFolder({ m, world, args }: BuiltinCall, target: Text): Outcome {
  const named = known(target) === "-" ? world.previous : folderFrom(target, world.cwd);
  const physical = world.physical || args.some((arg) => /^-\w*P/.test(knownStart(arg)));
  const folder = physical && named !== undefined ? m.context.disk?.realPath(named) : named;
  const changed = withCwd(world, folder);
  if (folder === undefined) return { ok: [changed], fail: [world], out: [] };
  const there = m.context.disk === undefined || m.context.disk.kindOf(folder) === "folder";
  const exists = there && !m.report.removes;
  const made = m.report.makes(folder, known(target) ?? folder);
  return { ok: [changed], fail: exists || made ? [] : [world], out: [] };
}

function toTop({ world }: BuiltinCall): Outcome {
  const [top, ...stack] = world.stack;
  return both({ ...withCwd(world, top), stack }, undefined);
}

function mapWorlds(outcome: Outcome, change: (world: World) => World): Outcome {
  return { ...outcome, ok: outcome.ok.map(change), fail: outcome.fail.map(change) };
}
