import type { ToolCall } from "../../contract/tool-call.ts";
import type { TaughtPrograms } from "../../core/shell/programs/row/taught.ts";
import type { ShellAnalysis } from "../../core/shell/types.ts";
import { shellWord } from "../../core/text/quoted.ts";
import type { GuardWorld } from "../world/guard-world.ts";

type World = Pick<GuardWorld, "environment" | "place" | "checkout" | "disk" | "mayBeRef" | "settings">;

/** Analyzes a command of a call. The analysis is large and most calls run no command, so it is imported on demand. */
export async function analyzeFor(
  command: string,
  { call, world, task }: { readonly call: ToolCall; readonly world: World; readonly task?: string },
): Promise<ShellAnalysis> {
  const { environment, place, checkout, disk, mayBeRef } = world;
  const { analyzeCommand } = await import("../../core/shell/analyze.ts");
  const programs = await taughtBy(world);
  // A hook sends only a few variables to the server; then any other variable may be set too.
  const names = environment.HOME === undefined ? undefined : new Set(Object.keys(environment));
  const path = environment.PATH ?? process.env.PATH ?? "";
  return analyzeCommand(
    /^(?:powershell|pwsh)$/i.test(call.tool) ? `pwsh -Command ${shellWord(command)}` : command,
    {
      cwd: call.folder,
      root: checkout ?? place.root,
      ...(checkout === undefined && place.checkouts !== undefined ? { checkouts: place.checkouts } : {}),
      ...(place.home === undefined ? {} : { home: place.home }),
      // Sent with every call, so an absent TMPDIR is known to be unset.
      tmpdir: environment.TMPDIR ?? "",
      path: path.split(":"),
      ...(names === undefined ? {} : { environment: names }),
      ...(task === undefined ? {} : { task }),
      ...{ disk, mayBeRef, processes: [process.pid] },
      ...(programs === undefined ? {} : { programs }),
    },
  );
}

/** With an unreadable configuration no programs are added here. The code that needs the settings reports the error. */
async function taughtBy(world: World): Promise<TaughtPrograms | undefined> {
  const rows = await world.settings().then(
    ({ programs }) => programs,
    () => [],
  );
  return rows.length === 0
    ? undefined
    : (await import("../../core/shell/programs/row/taught.ts")).taughtPrograms(rows);
}

/** The commands that a call would run, whatever its tool. */
export function commandsOf({ operation }: Pick<ToolCall, "operation">): readonly string[] {
  if (operation.kind === "shell") return [operation.command];
  return operation.kind === "unknown" && !operation.reads ? operation.commands : [];
}

/** True for a command that provably changes nothing. Callers that may not write may still run it. */
export function onlyReads({ writes, opaque, refusals, mentions }: ShellAnalysis): boolean {
  return writes.length + opaque.length + refusals.length + mentions.length === 0;
}
