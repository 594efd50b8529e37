import { hashText } from "../text/hash-text.ts";
import { field, isObject } from "../values/fields.ts";

/** A tool call as reported by a client. Every client has its own names for the same tools. */
export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

const fetches = names("fetch fetch_url google_web_search url_fetch web_fetch web_search");
const edits = names(
  "apply_patch create create_file edit edit_file file_change insert multi_edit notebook_edit patch replace",
  "str_replace str_replace_editor update write write_file",
);
/** Repeating these calls is normal. */
const waits = names("bash_output get_output read_bash read_output sleep task_output wait write_stdin");

export type ToolKind = "edit" | "fetch" | "wait" | "other";

export function kindOf(call: ToolCall): ToolKind {
  const name = plain(call.name);
  if (waits.has(name) || isSleep(call)) return "wait";
  if (fetches.has(name)) return "fetch";
  return edits.has(name) && field(call.input, "command") !== "view" ? "edit" : "other";
}

/** The files that an edit names; empty if unknown. */
export function editedPaths({ input }: ToolCall): readonly string[] {
  const named = ["file_path", "filePath", "path", "notebook_path", "target_file", "file"]
    .map((name) => field(input, name))
    .find((value) => typeof value === "string");
  if (named !== undefined) return [named as string];
  const changes = field(input, "changes");
  if (Array.isArray(changes))
    return changes.map((change) => field(change, "path")).filter((path) => typeof path === "string");
  const patch = ["patch", "patchText", "input"].map((name) => field(input, name));
  const text = [input, ...patch].find((value) => typeof value === "string");
  return text === undefined ? [] : pathsIn(text as string);
}

const patchedFile = /^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b\/)?)(.{1,4096})$/gm;

function pathsIn(patch: string): readonly string[] {
  return [...new Set([...patch.matchAll(patchedFile)].map(([, path]) => (path as string).trim()))];
}

/**
 * Equal for calls of the same tool with the same arguments; a call's `description` does not count. Undefined if the
 * client does not report enough to distinguish two calls.
 */
export function callFingerprint({ name, input }: ToolCall): string | undefined {
  const changes = field(input, "changes");
  if (Array.isArray(changes) && changes.every(onlyNamesFile)) return undefined;
  return saysSomething(input, 0) ? hashText(`${plain(name)}\n${canonical(input, 0)}`) : undefined;
}

function onlyNamesFile(change: unknown): boolean {
  return isObject(change) && Object.keys(change).every((key) => key === "path" || key === "kind");
}

function isSleep({ input }: ToolCall): boolean {
  const command = field(input, "command") ?? field(input, "cmd");
  const text = Array.isArray(command) ? command.join(" ") : command;
  return typeof text === "string" && /^(?:\S*sh -l?c )?["']?\s*(?:sleep|wait)\b/.test(text);
}

const depthMax = 20;

function saysSomething(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return value != null && value !== "";
  return depth < depthMax && Object.values(value).some((item) => saysSomething(item, depth + 1));
}

/** JSON with sorted keys. Values nested deeper than `depthMax` are ignored. */
function canonical(value: unknown, depth: number): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  if (depth === depthMax) return "…";
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(",")}]`;
  if (!isObject(value)) return "";
  const entries = Object.entries(value).filter(([key]) => key !== "description");
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, depth + 1)}`).join(",")}}`;
}

function names(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.split(" ")).map(plain));
}

/** `WebFetch`, `web_fetch` and `webfetch` compare equal. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
