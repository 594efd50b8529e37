import { stringify } from "yaml";
import { type ConfigKey, configKeys } from "./config-keys.ts";

/** docs/config.md: every key with its type, default, meaning and an example. */
export function configDocument(): string {
  return [
    "<!-- Made by `npm run gen` from src/contract/config.ts and what it imports. Do not edit. -->",
    "# Configuration",
    "",
    "`.lockstep/config.yaml`. Every key is optional. An unknown key is an error that names the nearest known one, with its",
    "line. `lockstep init` writes a file with every key commented out, `lockstep schema config` prints the JSON Schema.",
    "",
    "A command is a line (`npm test`) or a program with its arguments (`[npm, test]`). Paths are relative to the project's",
    "root; [scopes](topics/scopes.md) explains globs. `.octopoid/config.yaml` is read for `hooks`, `unknown_hooks` and",
    "`task_types` where this file has none.",
    "",
    ...configKeys().flatMap(sectionOf),
  ].join("\n");
}

function sectionOf(key: ConfigKey): string[] {
  const rows =
    key.keys.length === 0 ? [rowOf(key, "")] : key.keys.flatMap((one) => rowsOf(one, placeIn(key)));
  return [
    `## ${key.name}`,
    "",
    linked(key.meaning).replace("\n", "\n\n"),
    "",
    "| key | type | default | meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
    "```yaml",
    stringify({ [key.name]: key.example }, { lineWidth: 110 }).trimEnd(),
    "```",
    "",
    ...key.keys.filter(({ example }) => example !== undefined).flatMap((one) => innerExample(key, one)),
  ];
}

function innerExample(key: ConfigKey, inner: ConfigKey): string[] {
  const text = stringify({ [key.name]: { [inner.name]: inner.example } }, { lineWidth: 110 }).trimEnd();
  return [`An example of \`${key.name}.${inner.name}\`:`, "", "```yaml", text, "```", ""];
}

function placeIn({ name, holds }: ConfigKey): string {
  return holds === "entries" ? `${name}.NAME.` : holds === "items" ? `${name}[].` : `${name}.`;
}

function rowsOf(key: ConfigKey, before: string): string[] {
  const inner = key.keys.flatMap((one) => rowsOf(one, `${before}${placeIn(key)}`));
  return [rowOf(key, before), ...inner];
}

function rowOf({ name, type, value, meaning, holds }: ConfigKey, before: string): string {
  const usual = value === undefined || holds === "keys" ? "" : `\`${inline(value)}\``;
  return `| \`${before}${name}\` | ${cell(type)} | ${cell(usual)} | ${before === "" ? "see above" : cell(linked(meaning))} |`;
}

function inline(value: unknown): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trim();
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

/** `docs/tests.md` in a comment is a link on a page beside it. */
function linked(text: string): string {
  return text.replace(/\bdocs\/([\w/-]+\.md)\b/g, "[$1]($1)");
}
