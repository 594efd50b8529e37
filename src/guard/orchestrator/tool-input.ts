import type { Operation, ToolCall } from "../../contract/tool-call.ts";
import { maskByOwnRules } from "../../core/secrets/mask-by-own-rules.ts";

/** The recorded part of a call's input: names and commands, shortened, never content. */
export type ToolInput = Readonly<Record<string, string | number | readonly string[]>>;

/** Of the whole input, as JSON. */
const lengthMax = 500;
/** Long enough to mask a secret as a whole that begins in the recorded part. */
const maskedLengthMax = 4096;
const listMax = 5;

export function toolInput({ operation }: Pick<ToolCall, "operation">): ToolInput {
  for (const share of [400, 120, 40]) {
    const input = described(operation, share);
    if (JSON.stringify(input).length <= lengthMax) return input;
  }
  return { kind: operation.kind };
}

/** One line of at most `max` characters, without secrets. */
export function keptText(text: string, max: number): string {
  const masked = maskByOwnRules(text.slice(0, maskedLengthMax));
  return masked.length <= max ? masked : `${wellFormed(masked.slice(0, max - 1))}…`;
}

function described(operation: Operation, share: number): ToolInput {
  const texts = (all: readonly string[]) =>
    all.slice(0, listMax).map((text) => keptText(text, Math.floor(share / Math.min(all.length, listMax))));
  switch (operation.kind) {
    case "none":
      return {};
    case "read":
      return named("file_path", texts(operation.paths), operation.paths.length);
    case "write": {
      const paths = operation.targets.map(({ path }) => path);
      return { ...named("file_path", texts(paths), paths.length), content_length: operation.bytes };
    }
    case "shell":
      return { command: keptText(operation.command, share), command_length: operation.command.length };
    case "spawn":
      return {
        ...(operation.agentType === null ? {} : { subagent_type: keptText(operation.agentType, 100) }),
        ...(operation.agentId === null ? {} : { agent_id: keptText(operation.agentId, 100) }),
      };
    case "unknown":
      return {
        ...(operation.paths.length > 0 ? { paths: texts(operation.paths) } : {}),
        ...(operation.commands.length > 0 ? { commands: texts(operation.commands) } : {}),
        text_length: operation.texts.reduce((sum, text) => sum + text.length, 0),
      };
    case "malformed":
      return { malformed: keptText(operation.reason, share) };
  }
}

function named(name: string, kept: readonly string[], count: number): ToolInput {
  const [first] = kept;
  if (first === undefined) return {};
  return count === 1 ? { [name]: first } : { [`${name}s`]: kept, count };
}

/** Drops half a surrogate pair at the cut. */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.slice(0, -1);
}
