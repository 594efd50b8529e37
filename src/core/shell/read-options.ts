import { known, knownStart, type Text, withoutStart } from "./text.ts";

/**
 * The options of a program. Each list is written as `o,output q`: options apart by spaces, the names of one
 * option joined by commas, its first name being the key that `Options` answers to.
 */
export interface OptionSpec {
  /** Options that take a value, glued or as the next word. */
  readonly values?: string;
  /** Options that take a value only when it is glued: `-i.bak`, `--in-place=.bak`. */
  readonly glued?: string;
  /** Options that take only digits glued to them, with other letters behind: perl's `-l012e`. */
  readonly digits?: string;
  /** Other options; needed for abbreviations and for options of several names. */
  readonly flags?: string;
  /**
   * `gnu`: clusters of letters and `--long`; `long`: `-name` is one name, as find and openssl have it;
   * `first-letter`: no clusters, `-oFILE` and `-std=c99`, as compilers have it.
   */
  readonly style?: "gnu" | "long" | "first-letter";
  /** Long names are never abbreviated, as in most programs that are not GNU's. */
  readonly exact?: boolean;
  /** Options end at the first operand: what follows is somebody else's command. */
  readonly wrapper?: boolean;
  /** Options after whose value everything is an operand, as python's `-c`. */
  readonly ends?: string;
  /**
   * Every long option of a program that reads them as git does: `name=` takes a value, `name!` has no `--no-name`
   * that takes it back.
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
  /** Long options, as spelled, that are short for more than one. */
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
  /** Takes an earlier option of this key back: `--no-x`. */
  readonly negates?: true;
}
type Table = ReadonlyMap<string, Known>;

/** The keys of a list of options: `o,output q` has `o` and `q`. */
export function keysOf(list: string | undefined): string[] {
  return groupsOf(list).map((names) => names[0] ?? "");
}

/** Makes a reader of one program's words; the spec is looked at on first use. */
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

/** `--no-x` takes `--x` back, and `--x` takes back an option that is called `no-x`. */
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
 * One option, exactly or by a beginning. A beginning of several is an error in the program: then each of them that
 * takes a value counts, since a program of another version may know better.
 */
function readLong(word: Text, start: string, dashes: number, spec: Reading): Found[] {
  const equals = start.indexOf("=");
  const spelled = start.slice(dashes, equals < 0 ? undefined : equals);
  const value = equals < 0 ? undefined : withoutStart(word, equals + 1);
  const fitting = findLong(spelled, spec);
  const unclear = fitting.length > 1;
  const options = unclear ? fitting.filter(({ kind }) => kind === "value") : fitting;
  // A single letter behind two dashes is not the option of that letter.
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
