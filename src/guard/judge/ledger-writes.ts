import type { ToolCall } from "../../contract/tool-call.ts";
import { locate, resolveDots } from "../../core/paths/locate.ts";
import type { Objection } from "../../core/shell/judge-command.ts";
import { mentionedPaths } from "../../core/shell/mentioned-paths.ts";
import { targetsOf } from "../../core/shell/write-targets.ts";
import type { GuardWorld } from "../world/guard-world.ts";
import { analyzeFor, commandsOf } from "./shell-call.ts";

/** Lockstep's own records stay protected even when no run is active. */
export async function findLedgerWrite(call: ToolCall, world: GuardWorld): Promise<Objection | undefined> {
  const place = { ...world.place, cwd: call.folder };
  const own = [world.stateFolder, world.headsFolder];
  const state = [...own, ...own.map((folder) => world.disk.realPath(folder))];
  const touches = (path: string, tree: boolean) =>
    [resolveDots(path), world.disk.realPath(path)].some((spelling) =>
      state.some((folder) => liesIn(spelling, folder) || (tree && liesIn(folder, spelling))),
    );
  const objection = (path: string): Objection => ({
    code: "R-PW-002",
    reason: `\`${path}\` is one of Lockstep's own files: use Lockstep's commands instead, for example \`lockstep status\``,
    path,
  });
  for (const { path, action } of writesOf(call)) {
    const located = locate(path, place);
    if (located.where === "invalid" || located.absolute === undefined) continue;
    if (touches(located.absolute, action === "delete" || action === "move")) return objection(path);
  }
  for (const command of commandsOf(call)) {
    const { writes, mentions } = await analyzeFor(command, { call, world });
    for (const write of writes)
      for (const target of targetsOf(write, place))
        if (target.kind === "path" && touches(target.path, target.tree)) return objection(target.path);
    for (const mention of mentions) {
      const paths = mentionedPaths(mention, place);
      const own = paths === "too many" ? undefined : paths.find((path) => touches(path, false));
      if (own !== undefined) return objection(own);
    }
  }
  return undefined;
}

function writesOf({ operation }: ToolCall) {
  if (operation.kind === "write") return operation.targets;
  if (operation.kind !== "unknown" || operation.reads) return [];
  return operation.paths.map((path) => ({ path, action: "edit" as const }));
}

function liesIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
