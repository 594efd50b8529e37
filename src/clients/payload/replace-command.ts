import type { Operation } from "../../contract/tool-call.ts";
import { field, isObject } from "../../core/values/fields.ts";
import { decoded } from "./arguments.ts";
import { kindOfTool } from "./tool-names.ts";

const inputKeys = ["tool_input", "toolInput", "toolArgs", "args"];

/** True if the tool runs exactly the text in its input's `command`. */
export function hasCommand(tool: string, input: unknown, { kind, ...operation }: Operation): boolean {
  const command = "command" in operation ? operation.command : undefined;
  return kind === "shell" && kindOfTool(tool) === "shell" && field(decoded(input), "command") === command;
}

/** The whole input of a call with its command replaced. */
export function withCommand(payload: unknown, command: string): object {
  const input = inputKeys.map((key) => decoded(field(payload, key))).find(isObject);
  return { ...input, command };
}
