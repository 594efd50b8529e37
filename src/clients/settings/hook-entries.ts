import { type JsonChild, type JsonNode, member, readJsonTree } from "../../core/text/json-tree.ts";
import { addedTo, cameWith, cutFrom } from "./json-edits.ts";
import { editSettings, type SettingsEdit, UnreadableSettings } from "./settings-edit.ts";

/** Identifies an entry as ours, whatever its command is. */
export const hookMark = "# lockstep-guard";

export function marked(command: string): string {
  return command.endsWith(hookMark) ? command : `${command} ${hookMark}`;
}

/** For each event the entry that is added to its list, in order. */
export type HookEntries = readonly (readonly [event: string, entry: object])[];

/** Merges the entries into a file with `hooks: {event: […]}`. Our earlier entries are replaced. */
export function addHooks(
  text: string | null,
  entries: HookEntries,
  { file, extra = {} }: { readonly file: string; readonly extra?: object },
): SettingsEdit {
  return editSettings(file, text, () => {
    if (text !== null) expectLists(text, entries);
    const bare = text === null ? null : bareText(text, Object.keys(extra));
    if (bare === null) return newFile(entries, extra);
    const hooked = entries.reduce((now, [event, entry]) => withEntry(now, event, entry), bare);
    return Object.entries(extra).reduce(withMember, hooked);
  });
}

/** The original text without our entries; null if Lockstep created the file. */
export function removeHooks(
  text: string,
  { file, extra = {} }: { readonly file: string; readonly extra?: object },
): SettingsEdit {
  return editSettings(file, text, () => bareText(text, Object.keys(extra)));
}

function newFile(entries: HookEntries, extra: object): string {
  const hooks: Record<string, object[]> = {};
  for (const [event, entry] of entries) hooks[event] = [...(hooks[event] ?? []), entry];
  return `${JSON.stringify({ hooks, ...extra }, null, 2)}\n`;
}

function expectLists(text: string, entries: HookEntries): void {
  const hooks = hooksOf(rootOf(text));
  if (hooks === undefined) return;
  for (const [event] of entries) {
    const list = member(hooks, event)?.value;
    if (list !== undefined) expectKind(list, "array", `\`hooks.${event}\``);
  }
}

function withMember(text: string, [key, value]: [string, unknown]): string {
  const root = rootOf(text);
  return member(root, key) === undefined ? addedTo(text, root, { key, value }) : text;
}

function withEntry(text: string, event: string, entry: object): string {
  const root = rootOf(text);
  const hooks = hooksOf(root);
  if (hooks === undefined) return addedTo(text, root, { key: "hooks", value: { [event]: [entry] } });
  const list = member(hooks, event);
  if (list === undefined) return addedTo(text, hooks, { key: event, value: [entry] });
  return addedTo(text, list.value, { value: entry });
}

function bareText(text: string, extra: readonly string[]): string | null {
  for (let now = text; ; ) {
    const next = withoutOne(now, extra);
    if (next === undefined) return now;
    if (next === null) return null;
    now = next;
  }
}

/** The text without our last entry; undefined if there is none. The first entry still shows which containers we added. */
function withoutOne(text: string, extra: readonly string[]): string | null | undefined {
  const root = rootOf(text);
  const hooks = hooksOf(root);
  for (const event of hooks?.children.toReversed() ?? []) {
    for (const entry of event.value.kind === "array" ? event.value.children.toReversed() : []) {
      const inside = member(entry.value, "hooks")?.value;
      const ours = handlersOf(entry).filter(isOurs);
      const [first] = ours;
      if (first === undefined || hooks === undefined) continue;
      if (inside !== undefined && ours.length < inside.children.length) return cutFrom(text, inside, first);
      return cutUp(text, { root, hooks, event, entry }, extra);
    }
  }
  return undefined;
}

interface Spot {
  readonly root: JsonNode;
  readonly hooks: JsonNode;
  readonly event: JsonChild;
  readonly entry: JsonChild;
}

/** Removes an entry, its containers if Lockstep added them and they are empty, and members added after the hooks. */
function cutUp(text: string, { root, hooks, event, entry }: Spot, extra: readonly string[]): string | null {
  const isAlone = (container: JsonNode) => container.children.length === 1 && cameWith(text, container);
  if (!isAlone(event.value)) return cutFrom(text, event.value, entry);
  if (!isAlone(hooks)) return cutFrom(text, hooks, event);
  const at = root.children.findIndex(({ value }) => value === hooks);
  const behind = root.children.slice(at + 1);
  const ours = behind.map(({ key }) => key).join() === extra.join() ? [...behind].reverse() : [];
  if (at === 0 && ours.length === behind.length && cameWith(text, root)) return null;
  const keys = [...ours.map(({ key }) => key), "hooks"];
  return keys.reduce((now, key) => {
    const whole = rootOf(now);
    const own = member(whole, key);
    return own === undefined ? now : cutFrom(now, whole, own);
  }, text);
}

/** A group has its handlers in a list; other clients' entries are handlers themselves. */
function handlersOf(entry: JsonChild): readonly JsonChild[] {
  const inside = member(entry.value, "hooks")?.value;
  return inside?.kind === "array" ? inside.children : [entry];
}

function isOurs({ value }: JsonChild): boolean {
  const textAt = (key: string) => member(value, key)?.value.text ?? "";
  const isCommand = ["command", "bash"].some((key) => textAt(key).endsWith(hookMark));
  return isCommand || /^http:\/\/(?:127\.0\.0\.1|localhost):\d+\/guard\/\w+$/.test(textAt("url"));
}

function rootOf(text: string): JsonNode {
  const root = readJsonTree(text, { comments: true });
  expectKind(root, "object", "the file");
  return root;
}

function hooksOf(root: JsonNode): JsonNode | undefined {
  const hooks = member(root, "hooks")?.value;
  if (hooks !== undefined) expectKind(hooks, "object", "`hooks`");
  return hooks;
}

function expectKind(node: JsonNode, kind: "object" | "array", name: string): void {
  if (node.kind === kind) return;
  const expected = kind === "object" ? "an object" : "a list";
  throw new UnreadableSettings(`${name} is not ${expected}`, { at: node.start, expected });
}
