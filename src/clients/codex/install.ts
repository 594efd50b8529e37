import { marked } from "../settings/hook-entries.ts";
import { blockSpan, withBlock, withoutBlock } from "../settings/marked-block.ts";
import { editSettings, type SettingsEdit, UnreadableSettings } from "../settings/settings-edit.ts";
import { outlineToml, type TomlLine } from "../settings/toml-outline.ts";

/** Hooks may be in the project's or the user's settings; the list of trusted hooks is in the user's. */
export const settingsFiles = { personal: null, shared: ".codex/config.toml" } as const;

const timeoutSeconds = 10;
/** Codex waits at most this long at a session's end, and warns about a longer timeout. */
const endSeconds = 3;
const events = [
  "PreToolUse",
  "PostToolUse",
  "SessionStart",
  "SessionEnd",
  "PreCompact",
  "Stop",
  "SubagentStart",
  "SubagentStop",
];

export function install(
  text: string | null,
  { command }: { readonly command: string },
  file: string = settingsFiles.shared,
): SettingsEdit {
  return editSettings(file, text, () => {
    if (text !== null) expectRoom(outlineToml(text));
    const bare = text === null ? null : withoutBlock(text, "hooks");
    return withBlock(
      bare,
      "hooks",
      events.flatMap((event) => hookLines(event, marked(command))),
    );
  });
}

export function uninstall(text: string, file: string = settingsFiles.shared): SettingsEdit {
  return editSettings(file, text, () => withoutBlock(text, "hooks"));
}

/** A hook and its hash from `codex app-server`. Codex silently skips hooks that are not trusted. */
export interface TrustedHook {
  readonly key: string;
  readonly hash: string;
}

export function trust(text: string | null, hooks: readonly TrustedHook[], file: string): SettingsEdit {
  return editSettings(file, text, () => {
    const span = text === null ? undefined : blockSpan(text, "trust");
    const others = text === null ? [] : outlineToml(text).filter(({ start }) => !isWithin(start, span));
    const missing = hooks.filter((hook) => !isTrusted(others, hook));
    const bare = text === null ? null : withoutBlock(text, "trust");
    if (missing.length === 0) return bare;
    const lines = missing.flatMap(({ key, hash }) => [
      `[hooks.state.${JSON.stringify(key)}]`,
      `trusted_hash = ${JSON.stringify(hash)}`,
    ]);
    return withBlock(bare, "trust", lines);
  });
}

/** The hooks that `trust` wrote, for all projects. */
export function trustedHooks(text: string): readonly TrustedHook[] {
  const span = blockSpan(text, "trust");
  return outlineToml(text).flatMap(({ start, path: [, , key], value }) => {
    const hash = /^"(.*)"$/.exec(value)?.[1];
    return isWithin(start, span) && key !== undefined && hash !== undefined ? [{ key, hash }] : [];
  });
}

export function distrust(text: string, file: string): SettingsEdit {
  return editSettings(file, text, () => withoutBlock(text, "trust"));
}

function hookLines(event: string, command: string): string[] {
  return [
    `[[hooks.${event}]]`,
    `[[hooks.${event}.hooks]]`,
    `type = "command"`,
    `command = ${JSON.stringify(command)}`,
    `timeout = ${event === "SessionEnd" ? endSeconds : timeoutSeconds}`,
  ];
}

/** A list that is written as one value cannot be extended further down in the file. */
function expectRoom(lines: readonly TomlLine[]): void {
  const taken = lines.find(({ kind, path: [first, event, ...deeper] }) => {
    if (first !== "hooks" || kind === "list-table") return false;
    if (event === undefined) return kind === "key";
    return events.includes(event) && deeper.length === 0;
  });
  if (taken === undefined) return;
  const name = taken.path.join(".");
  throw new UnreadableSettings(`\`${name}\` is written as one value, so nothing can be added to it`, {
    at: taken.start,
    expected: `a table \`[[hooks.${taken.path[1] ?? "PreToolUse"}]]\` for each of its entries`,
  });
}

function isTrusted(lines: readonly TomlLine[], { key, hash }: TrustedHook): boolean {
  const own = lines.filter(
    ({ path: [first, second, third] }) => first === "hooks" && second === "state" && third === key,
  );
  const [line] = own;
  if (line === undefined) return false;
  if (own.some(({ value }) => value === JSON.stringify(hash) || value === `'${hash}'`)) return true;
  throw new UnreadableSettings(`\`${line.path.join(".")}\` trusts another form of this hook`, {
    at: line.start,
    expected: "no such table: remove it",
  });
}

function isWithin(at: number, span: readonly [number, number] | undefined): boolean {
  return span !== undefined && at >= span[0] && at < span[1];
}
