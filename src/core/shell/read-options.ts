import { known, knownStart, type Text, withoutStart } from "./text.ts";

/**
 * The options of a program. A list is written as `o,output q`: options are separated by spaces, the names of one
 * option are joined by commas, and the first name is the key in `Options`.
 */
export interface OptionSpec {
  /** Options that take a value, in the same word or as the next word. */
  readonly values?: string;
  /** Options that take a value only in the same word: `-i.bak`, `--in-place=.bak`. */
  readonly glued?: string;
  /** Options that take only digits in the same word, with other letters after them: perl's `-l012e`. */
  readonly digits?: string;
  /** Other options. They are needed for abbreviations and for options with several names. */
  readonly flags?: string;
  /**
   * `gnu`: clusters of letters and `--long`; `long`: `-name` is one name, as in find and openssl; `first-letter`: no
   * clusters, `-oFILE` and `-std=c99`, as in compilers.
   */
  readonly style?: "gnu" | "long" | "first-letter";
  /** Long names are never abbreviated, as in most programs outside GNU. */
  readonly exact?: boolean;
  /** Options end at the first operand: the rest is the command of another program. */
  readonly wrapper?: boolean;
  /** Options whose value ends the options: every later word is an operand, as with python's `-c`. */
  readonly ends?: string;
  /**
   * Every long option of a program that reads them as git does: `name=` takes a value; `name!` has no negation
   * `--no-name`.
   */
  readonly all?: string;
}

interface Option {
  readonly name: string;
  readonly value: Text | undefined;
}

export interface Options {
  readonly operands: readonly Text[];
  readonly options: readonly Option[];
  /** Where the operands after `--` start; undefined without it. */
  readonly dashes: number | undefined;
  /** Long options, as written, that abbreviate more than one option. */
  readonly unclear: readonly string[];
  has(...names: readonly string[]): boolean;
  /** Values of these options, in order. */
  all(...names: readonly string[]): Text[];
  /** The last value of these options. */
  value(...names: readonly string[]): Text | undefined;
}

type Kind = "value" | "glued" | "digits" | "flag";
interface Known {
  readonly key: string;
  readonly kind: Kind;
  /** Cancels an earlier option of this key: `--no-x`. */
  readonly negates?: true;
}
type Table = ReadonlyMap<string, Known>;

/** The keys of a list of options: `o,output q` has `o` and `q`. */
export function keysOf(list: string | undefined): string[] {
  return groupsOf(list).map((names) => names[0] ?? "");
}

/** Makes a reader for one program's words. The spec is processed on first use. */
export function optionReader(spec: OptionSpec): (args: readonly Text[]) => Options {
  let reading: Reading | undefined;
  return (args) => {
    reading ??= { ...spec, table: tableOf(spec), endKeys: keysOf(spec.ends) };
    return read(args, reading);
  };
}

function tableOf(spec: OptionSpec): Table {
  const table = new Map<string, Known>();
  const lists: [Kind, string | undefined][] = [
    ["value", spec.values],
    ["value", spec.ends],
    ["glued", spec.glued],
    ["digits", spec.digits],
    ["flag", spec.flags],
  ];
  for (const [kind, list] of lists) {
    for (const names of groupsOf(list)) {
      for (const name of names) if (!table.has(name)) table.set(name, { key: names[0] ?? name, kind });
    }
  }
  addAll(table, groupsOf(spec.all).flat());
  return table;
}

/** `--no-x` cancels `--x`, and `--x` cancels an option named `no-x`. */
function addAll(table: Map<string, Known>, all: readonly string[]): void {
  const named = all.map((spelled) => spelled.replace(/[=!]+$/, ""));
  named.forEach((name, index) => {
    const kind = all[index]?.includes("=") === true ? "value" : "flag";
    if (!table.has(name)) table.set(name, { key: name, kind });
  });
  named.forEach((name, index) => {
    const option = table.get(name);
    if (option === undefined || all[index]?.endsWith("!") === true) return;
    const back: Known = { key: option.key, kind: "flag", negates: true };
    const others = name.startsWith("no-") ? [`no-${name}`, name.slice("no-".length)] : [`no-${name}`];
    for (const other of others) if (!table.has(other)) table.set(other, back);
  });
}

function groupsOf(list: string | undefined): string[][] {
  return (list ?? "").split(/\s+/).flatMap((group) => (group === "" ? [] : [group.split(",")]));
}

interface Reading extends OptionSpec {
  readonly table: Table;
  readonly endKeys: readonly string[];
}

function read(args: readonly Text[], spec: Reading): Options {
  const operands: Text[] = [];
  const unclear: string[] = [];
  let options: Option[] = [];
  let dashes: number | undefined;
  let index = 0;
  while (index < args.length) {
    const word = args[index++] ?? [];
    const start = knownStart(word);
    if (start === "--" && word.length === 1) {
      dashes = operands.length;
      break;
    }
    if (spec.all !== undefined && known(word) === "--end-of-options") {
      const at = args.findIndex((later, place) => place >= index && known(later) === "--");
      if (at < 0) break;
      operands.push(...args.slice(index, at));
      dashes = operands.length;
      index = at + 1;
      break;
    }
    if (!start.startsWith("-") || (start === "-" && word.length === 1)) {
      operands.push(word);
      if (spec.wrapper === true) break;
      continue;
    }
    const found = readWord(word, start, spec);
    if (found.some((option) => option.unclear === true)) unclear.push(start.replace(/=.*$/s, ""));
    const next = found.some(({ wantsNext }) => wantsNext === true) ? args[index++] : undefined;
    for (const { name, value, wantsNext, negates } of found) {
      if (negates === true) options = options.filter((earlier) => earlier.name !== name);
      else options.push({ name, value: wantsNext === true ? next : value });
    }
    if (found.some((option) => spec.endKeys.includes(option.name))) break;
  }
  operands.push(...args.slice(index));
  return makeOptions({ operands, options, dashes, unclear });
}

type Read = Pick<Options, "operands" | "options" | "dashes" | "unclear">;

function makeOptions({ operands, options, dashes, unclear }: Read): Options {
  const all = (...names: readonly string[]) =>
    options.flatMap((option) =>
      names.includes(option.name) && option.value !== undefined ? [option.value] : [],
    );
  return {
    operands,
    options,
    dashes,
    unclear,
    has: (...names) => options.some((option) => names.includes(option.name)),
    all,
    value: (...names) => all(...names).at(-1),
  };
}

interface Found extends Option {
  readonly wantsNext?: boolean;
  readonly negates?: boolean;
  readonly unclear?: boolean;
}

function readWord(word: Text, start: string, spec: Reading): Found[] {
  if (start.startsWith("--")) return readLong(word, start, 2, spec);
  if (spec.style === "long") return readLong(word, start, 1, spec);
  if (spec.style === "first-letter") return [readFirstLetter(word, start, spec.table)];
  return readCluster(word, start, spec.table);
}

/**
 * One option, by its exact name or a prefix. A prefix of several options is an error in the program. Then every match
 * that takes a value counts, because another version of the program may accept the prefix.
 */
function readLong(word: Text, start: string, dashes: number, spec: Reading): Found[] {
  const equals = start.indexOf("=");
  const spelled = start.slice(dashes, equals < 0 ? undefined : equals);
  const value = equals < 0 ? undefined : withoutStart(word, equals + 1);
  const fitting = findLong(spelled, spec);
  const unclear = fitting.length > 1;
  const options = unclear ? fitting.filter(({ kind }) => kind === "value") : fitting;
  // A single letter after two dashes is not the option of that letter.
  const isLetter = spelled.length === 1 && dashes === 2;
  if (options.length === 0) return [{ name: isLetter ? start : spelled, value, unclear }];
  return options.map(({ key, kind, negates = false }) => ({
    ...{ name: key, value, negates, unclear },
    wantsNext: value === undefined && kind === "value",
  }));
}

function findLong(spelled: string, { table, style, exact }: Reading): readonly Known[] {
  const isLong = (name: string) => name.length > 1 || style === "long";
  const option = isLong(spelled) ? table.get(spelled) : undefined;
  if (option !== undefined) return [option];
  if (exact === true || spelled === "") return [];
  const fitting = new Map<string, Known>();
  for (const [name, candidate] of table)
    if (isLong(name) && name.startsWith(spelled))
      fitting.set(`${candidate.negates === true} ${candidate.key}`, candidate);
  return [...fitting.values()];
}

function readFirstLetter(word: Text, start: string, table: Table): Found {
  const whole = table.get(start.slice(1));
  if (whole !== undefined && word.length === 1) {
    return { name: whole.key, value: undefined, wantsNext: whole.kind === "value" };
  }
  const letter = table.get(start.charAt(1));
  if (letter !== undefined && letter.kind !== "flag")
    return { name: letter.key, value: withoutStart(word, 2) };
  const equals = start.indexOf("=");
  if (equals < 0) return { name: start.slice(1), value: undefined };
  const name = start.slice(1, equals);
  return { name: table.get(name)?.key ?? name, value: withoutStart(word, equals + 1) };
}

function readCluster(word: Text, start: string, table: Table): Found[] {
  const found: Found[] = [];
  for (let at = 1; at < start.length; at++) {
    const letter = start.charAt(at);
    const option = table.get(letter);
    const name = option?.key ?? letter;
    if (option === undefined || option.kind === "flag" || option.kind === "digits") {
      found.push({ name, value: undefined });
      while (option?.kind === "digits" && /\d/.test(start.charAt(at + 1))) at++;
      continue;
    }
    const rest = withoutStart(word, at + 1);
    const isGlued = at + 1 < start.length || word.length > 1;
    if (isGlued) found.push({ name, value: rest });
    else found.push({ name, value: undefined, wantsNext: option.kind === "value" });
    return found;
  }
  return found;
}
