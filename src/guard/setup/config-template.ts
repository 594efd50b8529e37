import { stringify } from "yaml";
import { type ConfigKey, configKeys } from "../../contract/config-keys.ts";
import { isObject } from "../../core/values/fields.ts";

const widthMax = 118;
const commentColumn = 46;

/**
 * The configuration that `init` writes: every key with its default, or with an example if the default is empty. A line
 * that starts with `#` and is not followed by a single blank is a setting: without the `#` the file is a valid configuration.
 */
export function configTemplate(): string {
  const head = `Lockstep's configuration. Every key is optional. Commented-out values are the defaults, or examples where the default is nothing: remove the # from what you want to change. An unknown key is an error. docs/config.md and \`lockstep schema config\` explain every key.`;
  const sections = configKeys().map((key) => [...comment(key.meaning), ...settingOf(key)].join("\n"));
  return `${[comment(head).join("\n"), ...sections].join("\n\n")}\n`;
}

function settingOf(key: ConfigKey): string[] {
  if (key.holds === "keys")
    return [`#${key.name}:`, ...key.keys.flatMap((one) => lineOf(one, shownValue(key, one), "  "))];
  if (key.holds === "entries") return [`#${key.name}:`, ...entriesOf(key)];
  return [`#${key.name}: ${inline(isNothing(key.value) ? key.example : key.value)}`];
}

/** The default of an inner key; or an example, if the section is empty by default. */
function shownValue({ value: all, example }: ConfigKey, { name, value }: ConfigKey): unknown {
  const isEmpty =
    isObject(all) && Object.values(all).every((one) => one === null) && Object.keys(all).length > 1;
  return isEmpty && isObject(example) && name in example ? example[name] : value;
}

/** The first entry with all its keys, the others on one line each. */
function entriesOf({ keys, example }: ConfigKey): string[] {
  return Object.entries(isObject(example) ? example : {}).flatMap(([name, entry], at) => {
    if (at > 0 || !isObject(entry)) return [`#  ${name}: ${inline(entry)}`];
    const shown = keys.map((key) => ({ key, value: key.name in entry ? entry[key.name] : key.value }));
    const lines = shown.filter(
      ({ key, value }) => key.name in entry || (value !== undefined && key.type !== "hooks"),
    );
    return [`#  ${name}:`, ...lines.flatMap(({ key, value }) => lineOf(key, value, "    "))];
  });
}

function lineOf(key: ConfigKey, value: unknown, indent: string): string[] {
  if (key.holds === "items") return itemsOf(key, indent);
  return commented(`#${indent}${key.name}: ${inline(value)}`, key);
}

function itemsOf({ name, meaning, keys, example }: ConfigKey, indent: string): string[] {
  const items = (Array.isArray(example) ? example : []).flatMap((item: Readonly<Record<string, unknown>>) =>
    Object.entries(item).flatMap(([part, value], at) => {
      const key = keys.find((one) => one.name === part);
      const line = `#${indent}  ${at === 0 ? "- " : "  "}${part}: ${inline(value)}`;
      return key === undefined ? [line] : commented(line, key);
    }),
  );
  return [...comment(`${name}: ${meaning}`), `#${indent}${name}:`, ...items];
}

/** Puts the comment next to the setting if there is room, else above it. */
function commented(line: string, { name, meaning }: ConfigKey): string[] {
  const text = comment(meaning).join("\n");
  const sameLine = `${line.padEnd(commentColumn)} ${text}`;
  const isShort = !text.includes("\n") && sameLine.length <= widthMax;
  return isShort ? [sameLine] : [...comment(`${name}: ${meaning}`), line];
}

function inline(value: unknown): string {
  return stringify(value, { collectionStyle: "flow", flowCollectionPadding: false, lineWidth: 0 }).trim();
}

function isNothing(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** In a project, `docs/` would mean the project's own folder. */
function comment(text: string): string[] {
  return text
    .replaceAll(/\bdocs\//g, "Lockstep's docs/")
    .split("\n")
    .flatMap((paragraph) => {
      const lines: string[] = [];
      for (const word of paragraph.split(" ")) {
        const last = lines.at(-1);
        if (last === undefined || `${last} ${word}`.length > widthMax) lines.push(`# ${word}`);
        else lines[lines.length - 1] = `${last} ${word}`;
      }
      return lines;
    });
}
