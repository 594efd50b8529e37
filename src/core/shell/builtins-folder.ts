import type { Builtin, BuiltinCall } from "./builtins.ts";
import { variableValue } from "./expand-parameter.ts";
import { enteredFolder, folderFrom } from "./resolve-path.ts";
import { known, knownStart, literal, type Text, unknownText } from "./text.ts";
import { both, mapWorlds, type Outcome, withCwd } from "./world.ts";

/** Commands that change, or print, the working folder. */
export const folderBuiltins: Readonly<Record<string, Builtin>> = {
  cd: (call) => {
    const operands = call.args.filter((arg) => !isOption(arg));
    const strange = call.args.some((arg) => isOption(arg) && !/^(?:-[LPe]+|--)$/.test(knownStart(arg)));
    if (operands.length > 1 || strange) return { ok: [], fail: [call.world], out: [] };
    const outcome = changeFolder(call, operands[0] ?? homeOf(call));
    return known(operands[0] ?? []) === "-" ? { ...outcome, out: undefined } : outcome;
  },
  pushd: (call) => {
    const [target] = call.args;
    if (target === undefined || call.args.length > 1 || /^[-+]/.test(knownStart(target))) return lost(call);
    const stack = [call.world.cwd, ...call.world.stack];
    const outcome = { ...changeFolder(call, target), out: undefined };
    return mapWorlds(outcome, (world) => (world === call.world ? world : { ...world, stack }));
  },
  popd: (call) => {
    const [top, ...stack] = call.world.stack;
    return call.args.length > 0 ? lost(call) : both({ ...withCwd(call.world, top), stack });
  },
  dirs: ({ args, world }) => both(args.length > 0 ? { ...world, stack: [] } : world),
  pwd: ({ world }) => both(world, world.cwd === undefined ? undefined : literal(`${world.cwd}\n`)),
};

function isOption(arg: Text): boolean {
  return /^-./.test(knownStart(arg));
}

/** Forms that are not followed: afterwards the working folder and the previous one are unknown. */
function lost({ world }: BuiltinCall): Outcome {
  return both({ ...withCwd(world, undefined), previous: undefined, stack: [] });
}

function homeOf({ m, world }: BuiltinCall): Text {
  const home = variableValue(m, "HOME", world);
  return Array.isArray(home) ? (home[0] ?? unknownText) : unknownText;
}

/** If the folder may be missing, the shell may stay where it is, so both outcomes are kept. */
function changeFolder({ m, world, args }: BuiltinCall, target: Text): Outcome {
  const physical = world.physical || args.some((arg) => /^-\w*P/.test(knownStart(arg)));
  const spelled = physical ? enteredFolder(target, world.cwd, m) : folderFrom(target, world.cwd);
  const named = known(target) === "-" ? world.previous : spelled;
  const folder = physical && named !== undefined ? m.context.disk?.realPath(named) : named;
  const changed = withCwd(world, folder);
  if (folder === undefined) return { ok: [changed], fail: [world], out: [] };
  const exists = m.context.disk === undefined || m.context.disk.kindOf(folder) === "folder";
  const certain = (exists || world.folders.has(folder)) && !m.report.removes;
  return { ok: [changed], fail: certain ? [] : [world], out: [] };
}
