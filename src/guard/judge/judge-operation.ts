import type { ToolCall, WriteTarget } from "../../contract/tool-call.ts";
import { locate } from "../../core/paths/locate.ts";
import { isScratch } from "../../core/paths/scratch.ts";
import { spellingsOf } from "../../core/points/judge-write.ts";
import { rules as writeRules } from "../../core/points/pre-write.ts";
import { targetOf } from "../../core/points/write-limits.ts";
import { decide } from "../../core/rules/rule.ts";
import { type CommandLimits, judgeCommand, type Objection } from "../../core/shell/judge-command.ts";
import type { ShellAnalysis } from "../../core/shell/types.ts";
import { shellWord, shortened } from "../../core/text/quoted.ts";

export interface OperationWorld {
  readonly limits: CommandLimits;
  /** Named in messages; empty for a caller without one. */
  readonly task: string;
  analyze(command: string): Promise<ShellAnalysis>;
}

export interface Found extends Unknown {
  readonly objections: readonly Objection[];
}

/** The parts of a call whose writes cannot be known before it runs. */
export type Unknown = Pick<ShellAnalysis, "programs" | "opaque" | "hookRuns" | "indexUses">;

/** Finds everything that a call would do and its caller may not. */
export async function judgeOperation(call: ToolCall, world: OperationWorld): Promise<Found> {
  const { operation } = call;
  switch (operation.kind) {
    case "none":
    case "read":
    case "spawn":
      return nothing;
    case "malformed":
      return objecting({ code: "R-IN-001", reason: `the call cannot be understood: ${operation.reason}` });
    case "write":
      return judgeWrites(operation.targets, world);
    case "shell":
      return judgeShell(operation.command, world);
    case "unknown": {
      if (operation.reads) return nothing;
      const targets = operation.paths.map((path) => ({ path, action: "edit" as const }));
      const parts = [
        await judgeWrites(targets, world),
        ...(await Promise.all(operation.commands.map((command) => judgeShell(command, world)))),
        judgeTexts(call, operation.texts, world),
      ];
      return {
        objections: parts.flatMap(({ objections }) => objections),
        programs: parts.flatMap(({ programs }) => programs),
        opaque: parts.flatMap(({ opaque }) => opaque),
        hookRuns: parts.flatMap(({ hookRuns }) => hookRuns),
        indexUses: parts.flatMap(({ indexUses }) => indexUses),
      };
    }
  }
}

const nothing: Found = { objections: [], programs: [], opaque: [], hookRuns: [], indexUses: [] };

function objecting(objection: Objection): Found {
  return { ...nothing, objections: [objection] };
}

/** Applies the PreWrite rules to each path, both as spelled and with links resolved. */
async function judgeWrites(targets: readonly WriteTarget[], world: OperationWorld): Promise<Found> {
  const { limits, task } = world;
  const objections: Objection[] = [];
  for (const { path, action } of targets) {
    if (isFree(path, limits)) continue;
    const [inside] = insideOf(path, limits);
    const target = { ...targetOf(path, action, limits), ...(inside === undefined ? {} : { shown: inside }) };
    const verdict = await decide(writeRules, { facts: { taskId: task, targets: [target], limits } });
    if (!verdict.allow) objections.push({ code: verdict.code, reason: verdict.reason, path });
  }
  return { ...nothing, objections };
}

function isFree(path: string, limits: CommandLimits): boolean {
  const located = locate(path, limits.place);
  if (located.where !== "outside" || located.absolute === undefined) return false;
  return located.path === "/dev/null" || isScratch(located.absolute, limits);
}

async function judgeShell(command: string, { limits, task, analyze }: OperationWorld): Promise<Found> {
  const analysis = await analyze(command);
  const objections = judgeCommand(analysis, limits);
  const first = objections.findIndex(({ code }) => code === "R-PW-001");
  return {
    objections: objections.map((one, index) => (index === first ? withWay(one, task, limits) : one)),
    programs: analysis.programs,
    opaque: analysis.opaque,
    hookRuns: analysis.hookRuns,
    indexUses: analysis.indexUses,
  };
}

/** Adds the command that asks for more scope to an R-PW-001 reason. */
function withWay(objection: Objection, task: string, limits: CommandLimits): Objection {
  if (objection.code !== "R-PW-001" || task === "") return objection;
  const inside = objection.path === undefined ? [] : insideOf(objection.path, limits);
  const way = wayToWiden(task, inside[0] ?? "PATH");
  return { ...objection, reason: `${shortened(objection.reason, 220)}: ask for it with \`${way}\`` };
}

export function wayToWiden(task: string, path: string): string {
  return `lockstep widen ${shellWord(shortened(task, 60))} ${shellWord(shortened(path, 160))} --why "…"`;
}

/** The path relative to the project, as spelled and with links resolved; empty for a path outside the project. */
export function insideOf(path: string, limits: Pick<CommandLimits, "place" | "disk">): readonly string[] {
  return spellingsOf(path, limits).flatMap((spelling) =>
    spelling.where === "inside" ? [spelling.path || "."] : [],
  );
}

/** It cannot be known what an unknown tool does with a path in a text argument. */
function judgeTexts(call: ToolCall, texts: readonly string[], { limits }: OperationWorld): Found {
  const mentions = texts.map((text) => ({
    text,
    operand: false,
    from: [call.folder],
    by: `\`${shortened(call.tool, 60)}\``,
  }));
  const none = { programs: [], writes: [], refusals: [], opaque: [], hookRuns: [], indexUses: [] };
  return { ...nothing, objections: judgeCommand({ ...none, mentions }, limits) };
}
