import type { ToolCall } from "../../contract/tool-call.ts";
import type { TaughtPrograms } from "../../core/shell/programs/row/taught.ts";
import type { ShellAnalysis } from "../../core/shell/types.ts";
import { shellWord } from "../../core/text/quoted.ts";
import type { GuardWorld } from "../world/guard-world.ts";

type World = Pick<GuardWorld, "environment" | "place" | "checkout" | "disk" | "mayBeRef" | "settings">;

/** What a command of this call would do. The analysis is big, and most calls run no command. */
export async function analyzeFor(
  command: string,
  { call, world, task }: { readonly call: ToolCall; readonly world: World; readonly task?: string },
): Promise<ShellAnalysis> {
  const { environment, place, checkout, disk, mayBeRef } = world;
  const { analyzeCommand } = await import("../../core/shell/analyze.ts");
  const programs = await taughtBy(world);
  // A warm process is told a few variables only, and then any other may be set too.
  const names = environment.HOME === undefined ? undefined : new Set(Object.keys(environment));
  const path = environment.PATH ?? process.env.PATH ?? "";
  return analyzeCommand(
    /^(?:powershell|pwsh)$/i.test(call.tool) ? `pwsh -Command ${shellWord(command)}` : command,
    {
      cwd: call.folder,
      root: checkout ?? place.root,
      ...(checkout === undefined && place.checkouts !== undefined ? { checkouts: place.checkouts } : {}),
      ...(place.home === undefined ? {} : { home: place.home }),
      // Told with every call, so that it is known where it is not set.
      tmpdir: environment.TMPDIR ?? "",
      path: path.split(":"),
      ...(names === undefined ? {} : { environment: names }),
      ...(task === undefined ? {} : { task }),
      ...{ disk, mayBeRef, processes: [process.pid] },
      ...(programs === undefined ? {} : { programs }),
    },
  );
}

/** Without a configuration that can be read nothing is taught; who needs its settings says what is wrong with it. */
async function taughtBy(world: World): Promise<TaughtPrograms | undefined> {
  const rows = await world.settings().then(
    ({ programs }) => programs,
    () => [],
  );
  return rows.length === 0
    ? undefined
    : (await import("../../core/shell/programs/row/taught.ts")).taughtPrograms(rows);
}

/** Commands that a call would run, whatever kind of tool it is. */
export function commandsOf({ operation }: Pick<ToolCall, "operation">): readonly string[] {
  if (operation.kind === "shell") return [operation.command];
  return operation.kind === "unknown" && !operation.reads ? operation.commands : [];
}

/** A command that provably changes nothing: whoever may not write may still look. */
export function onlyReads({ writes, opaque, refusals, mentions }: ShellAnalysis): boolean {
  return writes.length + opaque.length + refusals.length + mentions.length === 0;
}
