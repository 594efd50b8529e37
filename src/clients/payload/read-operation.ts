import type { Operation, WriteTarget } from "../../contract/tool-call.ts";
import { readPatch } from "../../core/shell/programs/text/patch-targets.ts";
import { quoted, shellWord } from "../../core/text/quoted.ts";
import { field, isObject, isText } from "../../core/values/fields.ts";
import { type Argument, argumentsIn, decoded } from "./arguments.ts";
import { kindOfTool, type ToolKind } from "./tool-names.ts";
import { readUnknown } from "./unknown-tool.ts";

const batchDepthMax = 4;

/** What a tool call of any client would do, from its name and input. `response` is set after the call. */
export function readOperation(tool: string, input: unknown, response?: unknown, depth = 0): Operation {
  const given = argumentsIn(input);
  if (given === undefined) return malformed(`the input of ${quoted(tool)} is nested too deep to be read`);
  const kind = kindOfTool(tool);
  switch (kind) {
    case "none":
      return { kind: "none" };
    case "read":
      return { kind: "read", paths: pathsIn(given), search: null };
    case "grep":
      return { kind: "read", paths: pathsIn(given), search: "Grep" };
    case "glob":
      return { kind: "read", paths: pathsIn(given), search: "Glob" };
    case "create":
    case "edit":
    case "delete":
    case "move":
      return readWrite(tool, kind, given);
    case "patch":
      return readPatches(tool, given);
    case "editor":
      return field(decoded(input), "command") === "view"
        ? { kind: "read", paths: pathsIn(given), search: null }
        : readWrite(tool, "edit", given);
    case "shell":
    case "powershell":
      return readShell(tool, kind, given);
    case "typing":
      return readTyping(tool, given);
    case "spawn":
      return { kind: "spawn", agentType: agentTypeIn(decoded(input)), agentId: agentIdIn(response) };
    case "batch":
      return readBatch(tool, decoded(input), given, depth);
    case "worktree":
      return { kind: "write", targets: [{ path: ".claude/worktrees", action: "create" }], bytes: 0 };
    case "unknown":
      return readUnknown(tool, given);
  }
}

export function malformed(reason: string): Operation {
  return { kind: "malformed", reason };
}

function pathsIn(given: readonly Argument[]): string[] {
  const found = given.filter(({ role }) => role === "path" || role === "folder");
  return [...new Set(found.map(({ text }) => text))];
}

/** Every key with a path is a target, because it is unknown which one the tool uses. */
function readWrite(tool: string, action: WriteTarget["action"], given: readonly Argument[]): Operation {
  const named = pathsIn(given).map((path): WriteTarget => ({ path, action }));
  const patched = given.filter(isPatch).flatMap(({ text }) => targetsOf(text));
  const targets = [...named, ...patched];
  if (targets.length === 0) return malformed(`the input of ${quoted(tool)} names no path`);
  return { kind: "write", targets, bytes: bytesOf(given) };
}

/** True for a patch, which some models pass to an editing tool. */
function isPatch({ key, text }: Argument): boolean {
  return (key === "" || /^(?:patch(?:_?text)?|diff|input|command)$/i.test(key)) && readPatch(text).length > 0;
}

function readPatches(tool: string, given: readonly Argument[]): Operation {
  const targets = given.flatMap(({ text }) => targetsOf(text));
  if (targets.length === 0) return malformed(`the patch of ${quoted(tool)} names no file`);
  return { kind: "write", targets, bytes: bytesOf(given) };
}

function targetsOf(patch: string): WriteTarget[] {
  return readPatch(patch).map(({ path, action }) => ({ path, action: action === "write" ? "edit" : action }));
}

function bytesOf(given: readonly Argument[]): number {
  const written = given.filter(
    ({ key, role }) => key === "" || (role === "content" && !/^old/i.test(key)) || role === "command",
  );
  return written.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

function readShell(tool: string, kind: ToolKind, given: readonly Argument[]): Operation {
  const commands = given.filter(({ key, role }) => key === "" || role === "command").map(({ text }) => text);
  const command = commands.join("\n");
  if (command.trim() === "") return malformed(`the input of ${quoted(tool)} holds no command`);
  return { kind: "shell", command: kind === "powershell" ? `pwsh -Command ${shellWord(command)}` : command };
}

const movingKeys =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys are such characters
  /\{(?:up|down|left|right|home|end|tab|backspace|delete|escape|esc|pageup|pagedown)\}|\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])|[\u0000-\u0002\u0005-\u0009\u000b-\u001f\u007f]/gi;
// biome-ignore lint/suspicious/noControlCharactersInRegex: interrupt and end of input type nothing
const endingKeys = /[\u0003\u0004]/g;

/** Keys without letters only answer a prompt or repeat a judged command. Mixed with letters they change the command. */
function readTyping(tool: string, given: readonly Argument[]): Operation {
  const commands = given.filter(({ key, role }) => key === "" || role === "command").map(({ text }) => text);
  const typed = commands
    .join("\n")
    .replace(/\{enter\}|\r\n?/gi, "\n")
    .replace(endingKeys, "");
  const letters = typed.replace(movingKeys, "");
  if (letters.trim() === "") return { kind: "none" };
  if (letters !== typed)
    return malformed(`${quoted(tool)} moves the cursor while it types: type the whole command in one call`);
  return { kind: "shell", command: typed.trimEnd(), typed: true };
}

const typeKeys = [
  "subagent_type",
  "subagentType",
  "agent_type",
  "agentType",
  "agent_name",
  "agentName",
  "agent",
];

function agentTypeIn(input: unknown): string | null {
  return typeKeys.map((key) => field(input, key)).find(isText) ?? null;
}

function agentIdIn(response: unknown): string | null {
  const result = decoded(response);
  return ["agentId", "agent_id"].map((key) => field(result, key)).find(isText) ?? null;
}

/** The inner calls do not trigger hooks of their own, so they are judged here. */
function readBatch(tool: string, input: unknown, given: readonly Argument[], depth: number): Operation {
  const calls = ["tool_calls", "tool_uses", "calls"].map((key) => field(input, key)).find(Array.isArray);
  if (calls === undefined) return readUnknown(tool, given);
  if (depth >= batchDepthMax) return malformed(`the calls in ${quoted(tool)} are nested too deep to be read`);
  const inner = calls.map((call: unknown) => {
    const name = firstOf(call, ["tool", "recipient_name", "tool_name", "name"]);
    const argument = firstOf(call, ["parameters", "arguments", "args", "input"]);
    if (!isObject(call) || !isText(name)) return malformed(`a call in ${quoted(tool)} names no tool`);
    return inItsFolder(readOperation(name, argument, undefined, depth + 1), argument);
  });
  return together(inner);
}

function inItsFolder(operation: Operation, argument: unknown): Operation {
  const folder = folderIn(argument);
  if (operation.kind !== "shell" || folder === null) return operation;
  return { kind: "shell", command: `cd ${shellWord(folder)}\n${operation.command}` };
}

const folderKeys = ["workdir", "cwd", "dir_path", "working_directory", "workingDirectory", "directory"];

/** The working folder that a command's input names. */
export function folderIn(input: unknown): string | null {
  const given = decoded(input);
  return folderKeys.map((key) => field(given, key)).find(isText) ?? null;
}

function firstOf(of: unknown, keys: readonly string[]): unknown {
  return keys.map((key) => field(of, key)).find((value) => value !== undefined);
}

function together(inner: readonly Operation[]): Operation {
  const broken = inner.find(({ kind }) => kind === "malformed");
  if (broken !== undefined) return broken;
  const only = (of: Operation) => of.kind === "none" || of.kind === "read" || of.kind === "spawn";
  const changing = inner.filter((of) => !only(of) && !(of.kind === "unknown" && of.reads));
  const judged = changing.length > 0 ? changing : inner;
  return {
    kind: "unknown",
    reads: changing.length === 0,
    paths: judged.flatMap((of) => {
      if (of.kind === "write") return of.targets.map(({ path }) => path);
      return of.kind === "read" || of.kind === "unknown" ? of.paths : [];
    }),
    commands: judged.flatMap((of) => {
      if (of.kind === "shell") return [of.command];
      return of.kind === "unknown" ? of.commands : [];
    }),
    texts: judged.flatMap((of) => (of.kind === "unknown" ? of.texts : [])),
  };
}
