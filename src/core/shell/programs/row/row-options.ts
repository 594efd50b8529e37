import type { OptionSpec, Options } from "../../read-options.ts";
import { known } from "../../text.ts";
import type { Deed } from "./row.ts";

/** Lists of options, by the meaning of their value. */
export const valueLists = ["files", "folders", "parts", "in", "shell", "programs", "code"] as const;
const inheritedLists = ["values", "glued", "digits", "flags", ...valueLists] as const;
const lists = [...inheritedLists, "ends", "when", "unless", "harmless", "tree"] as const;

function listed(deed: Deed, list: (typeof lists)[number]): string {
  const value = deed[list];
  return typeof value === "string" ? value : "";
}

export const wordsOf = (list: string): string[] => list.split(/\s+/).filter((word) => word !== "");
/** Names of options, without the value that one must have. */
const groupsOf = (list: string): string[][] =>
  wordsOf(list).map((group) => (group.split("=", 1)[0] ?? "").split(","));

/** Programs whose options end where the command that they run begins. */
const wrapperKinds: ReadonlySet<Deed["runs"]> = new Set([
  "operands",
  "after-dashes",
  "line",
  "shell",
  "package",
  "script",
] as const);

/** How the options of a deed and of its cases are read. */
export function specOf(deed: Deed): OptionSpec {
  const all = [deed, ...(deed.cases ?? []), ...(deed.besides ?? [])];
  const groupsIn = (names: readonly (typeof lists)[number][]) =>
    all.flatMap((one) => names.flatMap((name) => groupsOf(listed(one, name))));
  const joinedLists = (names: readonly (typeof lists)[number][]) => groupsIn(names).join(" ");
  const glued = new Set(groupsIn(["glued", "digits"]).flat());
  const values = groupsIn([...valueLists, "values"]).filter(([name = ""]) => !glued.has(name));
  return {
    values: values.join(" "),
    ends: joinedLists(["ends"]),
    glued: joinedLists(["glued"]),
    digits: joinedLists(["digits"]),
    flags: joinedLists(["flags", "when", "unless", "harmless", "tree"]),
    wrapper: deed.wrapper ?? all.some(({ runs }) => wrapperKinds.has(runs)),
    ...(deed.style === undefined ? {} : { style: deed.style }),
    ...(deed.exact === undefined ? {} : { exact: deed.exact }),
    ...(deed.all === undefined ? {} : { all: deed.all }),
  };
}

/** An option in a list: its key, and the value it must have if one is given (`write=false`). */
interface Named {
  readonly key: string;
  readonly value: string | undefined;
}

export interface NamedList {
  readonly named: readonly Named[];
  readonly keys: readonly string[];
}

export type Names = (list: string | undefined) => NamedList;

/** Maps each name of an option to one key: the first name in the list where it first occurs. */
export function canonicalNames(deed: Deed): Names {
  const { values, ends, glued, digits, flags } = specOf(deed);
  const keys = new Map<string, string>();
  for (const group of [values, ends, glued, digits, flags].flatMap((list) => groupsOf(list ?? "")))
    for (const name of group) if (!keys.has(name)) keys.set(name, group[0] ?? name);
  const found = new Map<string, NamedList>();
  return (list = "") => {
    const kept = found.get(list);
    if (kept !== undefined) return kept;
    const named = wordsOf(list).map((group) => namedIn(group, keys));
    const made = { named, keys: named.map(({ key }) => key) };
    found.set(list, made);
    return made;
  };
}

function namedIn(group: string, keys: ReadonlyMap<string, string>): Named {
  const [names = "", value] = group.split("=", 2);
  const [name = ""] = names.split(",");
  return { key: keys.get(name) ?? name, value };
}

/** If an option is given several times, the last value counts. */
export function isGiven(options: Options, { named }: NamedList): boolean {
  return named.some(({ key, value }) =>
    value === undefined ? options.has(key) : known(options.value(key) ?? []) === value,
  );
}

/** The same for options that make a call harmless: `--dry-run=false` and an unknown value do not count. */
export function isSurelyGiven(options: Options, list: NamedList): boolean {
  if (!isGiven(options, list)) return false;
  const flags = list.named.flatMap(({ key, value }) => (value === undefined ? [key] : []));
  return !/^(?:false|no|off|0|\?)$/i.test(known(options.value(...flags) ?? []) ?? "?");
}

/** A subcommand has its own options and those of the program, except for names that it defines itself. */
export function below(deed: Deed, command: Deed): Deed {
  const own = new Set(lists.flatMap((list) => groupsOf(listed(command, list)).flat()));
  const inherited = Object.fromEntries(
    inheritedLists.flatMap((list) => {
      const above = groupsOf(listed(deed, list)).filter((group) => !group.some((name) => own.has(name)));
      const all = [listed(command, list), ...above.map((group) => group.join(","))].join(" ").trim();
      return all === "" ? [] : [[list, all]];
    }),
  );
  const { style = deed.style, exact = deed.exact, sources = deed.sources } = command;
  const besides = [...(deed.besides ?? []), ...(command.besides ?? [])];
  return {
    ...command,
    ...inherited,
    ...(besides.length === 0 ? {} : { besides }),
    ...(style === undefined ? {} : { style }),
    ...(exact === undefined ? {} : { exact }),
    ...(sources === undefined ? {} : { sources }),
  };
}
