import { hookMark } from "../../clients/settings/hook-entries.ts";
import { outlineToml } from "../../clients/settings/toml-outline.ts";
import type { ClientName } from "../../contract/client-names.ts";
import { type JsonNode, member, readJsonTree } from "../../core/text/json-tree.ts";

/** Lockstep's hooks in a client's settings file, as the client reads them. */
export interface ConfiguredHooks {
  /** The command before a tool call; if calls go over HTTP, the command for other events. */
  readonly command: string | undefined;
  readonly http: HttpHandler | undefined;
}

export interface HttpHandler {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly blocks: boolean;
}

const readers: Readonly<Record<ClientName, (text: string) => ConfiguredHooks>> = {
  claude: inJson,
  codex: inToml,
  gemini: inJson,
  opencode: inPlugin,
  copilot: inJson,
  cursor: inJson,
};

/** Undefined if the file has none of Lockstep's hooks. The file must be valid. */
export function configuredHooks(name: ClientName, text: string): ConfiguredHooks | undefined {
  const found = readers[name](text);
  return found.command === undefined && found.http === undefined ? undefined : found;
}

const beforeTool = ["PreToolUse", "preToolUse", "BeforeTool"];

function inJson(text: string): ConfiguredHooks {
  const hooks = member(readJsonTree(text, { comments: true }), "hooks")?.value;
  const events = hooks?.children ?? [];
  const first = events
    .filter(({ key }) => beforeTool.includes(key))
    .flatMap(({ value }) => handlersIn(value));
  // Only these events: an event that starts the server waits for it, unlike a call.
  const others = events
    .filter(({ key }) => key === "Stop" || key === "SessionEnd")
    .flatMap(({ value }) => handlersIn(value));
  const http = first.map(httpIn).find((handler) => handler !== undefined);
  return { command: [...first, ...others].map(commandIn).find((command) => command !== undefined), http };
}

function handlersIn(list: JsonNode): readonly JsonNode[] {
  return list.children.flatMap(({ value }) => {
    const inside = member(value, "hooks")?.value;
    return inside === undefined ? [value] : inside.children.map((child) => child.value);
  });
}

function commandIn(handler: JsonNode): string | undefined {
  return ["command", "bash"].map((key) => textOf(handler, key)).find((text) => text?.endsWith(hookMark));
}

function httpIn(handler: JsonNode): HttpHandler | undefined {
  const url = textOf(handler, "url");
  if (url === undefined || !/\/guard\/\w+$/.test(url)) return undefined;
  const headers = member(handler, "headers")?.value.children ?? [];
  return {
    url,
    headers: Object.fromEntries(headers.map(({ key, value }) => [key, value.text ?? ""])),
    blocks: textOf(handler, "onFailure") === "block",
  };
}

function textOf(node: JsonNode, key: string): string | undefined {
  return member(node, key)?.value.text;
}

/** Whether the client's hooks are switched off. */
export function hooksAreOff(text: string): boolean {
  const node = member(readJsonTree(text, { comments: true }), "disableAllHooks")?.value;
  return node !== undefined && text.slice(node.start, node.end) === "true";
}

function inToml(text: string): ConfiguredHooks {
  const commands = outlineToml(text)
    .filter(({ path }) => path.join(".") === "hooks.PreToolUse.hooks.command")
    .map(({ value }) => (value.startsWith('"') ? (JSON.parse(value) as string) : ""));
  return { command: commands.find((command) => command.endsWith(hookMark)), http: undefined };
}

function inPlugin(text: string): ConfiguredHooks {
  const [, written] = /^const command = (".*");$/m.exec(text) ?? [];
  return { command: written === undefined ? undefined : (JSON.parse(written) as string), http: undefined };
}
