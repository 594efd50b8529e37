import { type OptionSpec, type Options, optionReader } from "../read-options.ts";
import { anyName, concat, known, literal, type Text } from "../text.ts";
import type { Call, Effects, Program } from "../types.ts";
import { asksForHelp, isDash, joined, mention, mentionOutputs, writeFiles, writeTrees } from "./describe.ts";
import type { Deed, Row } from "./row.ts";
import { tellCode } from "./tell-code.ts";
import { runPackage, runWithAssignments, runWords } from "./wrapping.ts";

/** The program that a row describes; the row is looked at when the program is first called. */
export function programOf(row: Row, label: string): Program {
  let program: Program | undefined;
  return (call, effects) => {
    program ??= describe(row, label);
    program(call, effects);
  };
}

/** The program that a deed describes; `label` is what `lockstep explain --why` calls it. */
export function describe(deed: Deed, label?: string): Program {
  const done = deedOf(deed, label);
  if (deed.commands === undefined) return done;
  return bySubcommand(deed, done, label);
}

function bySubcommand(deed: Deed, otherwise: Program, label: string | undefined): Program {
  const names = canonicalNames(deed);
  const read = optionReader({ ...specOf(deed), wrapper: true });
  const commands = new Map<string, Command>();
  for (const [list, found] of Object.entries(deed.commands ?? {}))
    for (const name of wordsOf(list)) commands.set(name, new Command(deed, found, label));
  const alone = deed.alone === undefined ? undefined : new Command(deed, deed.alone, label);
  return (call, effects) => {
    if (asksForHelp(call.args)) return;
    const options = read(call.args);
    const [word, ...args] = options.operands;
    const name = known(word ?? []);
    const command = word === undefined ? alone : commands.get(name ?? "");
    if (command === undefined) return otherwise(call, effects);
    const inner = insideOf(deed, command.deed, { options, effects, names });
    tellValues(deed, { options, effects: inner, names, label });
    command.program({ ...call, name: name ?? call.name, args }, inner);
  };
}

/** A subcommand, looked at when it is first called. */
class Command {
  readonly deed: Deed;
  readonly #above: Deed;
  readonly #label: string | undefined;
  #program: Program | undefined;

  constructor(above: Deed, deed: Deed, label: string | undefined) {
    this.#above = above;
    this.deed = deed;
    this.#label = label;
  }

  get program(): Program {
    this.#program ??= describe(below(this.#above, this.deed), this.#label);
    return this.#program;
  }
}

/** A subcommand's options are its own and those of the program, except for names that it has itself. */
function below(deed: Deed, command: Deed): Deed {
  const own = new Set(lists.flatMap((list) => groupsOf(listed(command, list)).flat()));
  const inherited = Object.fromEntries(
    ([...inheritedLists] as const).map((list) => [
      list,
      [
        listed(command, list),
        ...groupsOf(listed(deed, list))
          .filter((group) => !group.some((name) => own.has(name)))
          .map((group) => group.join(",")),
      ].join(" "),
    ]),
  );
  const { style = deed.style, exact = deed.exact, sources = deed.sources } = command;
  return {
    ...command,
    ...inherited,
    ...(style === undefined ? {} : { style }),
    ...(exact === undefined ? {} : { exact }),
    ...(sources === undefined ? {} : { sources }),
  };
}

const valueLists = ["files", "folders", "in", "shell", "programs", "code"] as const;
const inheritedLists = ["values", "glued", "digits", "flags", ...valueLists] as const;
const lists = [...inheritedLists, "ends", "when", "unless", "harmless", "tree"] as const;

function listed(deed: Deed, list: (typeof lists)[number]): string {
  const value = deed[list];
  return typeof value === "string" ? value : "";
}

const wordsOf = (list: string): string[] => list.split(/\s+/).filter((word) => word !== "");
/** Names of options, without a value that one must have. */
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

function specOf(deed: Deed): OptionSpec {
  const all = [deed, ...(deed.cases ?? [])];
  const joinedLists = (names: readonly (typeof lists)[number][]) =>
    all.flatMap((one) => names.flatMap((name) => groupsOf(listed(one, name)))).join(" ");
  return {
    values: joinedLists(["values", ...valueLists]),
    ends: joinedLists(["ends"]),
    glued: joinedLists(["glued"]),
    digits: joinedLists(["digits"]),
    flags: joinedLists(["flags", "when", "unless", "harmless", "tree"]),
    wrapper: deed.wrapper ?? all.some(({ runs }) => wrapperKinds.has(runs)),
    ...(deed.style === undefined ? {} : { style: deed.style }),
    ...(deed.exact === undefined ? {} : { exact: deed.exact }),
  };
}

/** An option that a list names: its key, and the value it must have where one is given (`write=false`). */
interface Named {
  readonly key: string;
  readonly value: string | undefined;
}

type Names = (list: string | undefined) => readonly Named[];

/** An option has one key, whichever of its names a list uses: the first name where it is first listed. */
function canonicalNames(deed: Deed): Names {
  const { values, ends, glued, digits, flags } = specOf(deed);
  const keys = new Map<string, string>();
  for (const group of [values, ends, glued, digits, flags].flatMap((list) => groupsOf(list ?? "")))
    for (const name of group) if (!keys.has(name)) keys.set(name, group[0] ?? name);
  const found = new Map<string, readonly Named[]>();
  return (list = "") => {
    const kept = found.get(list) ?? wordsOf(list).map((group) => namedIn(group, keys));
    found.set(list, kept);
    return kept;
  };
}

function namedIn(group: string, keys: ReadonlyMap<string, string>): Named {
  const [names = "", value] = group.split("=", 2);
  const [name = ""] = names.split(",");
  return { key: keys.get(name) ?? name, value };
}

/** Of an option that is given several times the last value counts. */
function isGiven(options: Options, named: readonly Named[]): boolean {
  return named.some(({ key, value }) =>
    value === undefined ? options.has(key) : known(options.value(key) ?? []) === value,
  );
}

/** The same for options that make a call harmless: `--dry-run=false` and a value that is not known do not. */
function isSurelyGiven(options: Options, named: readonly Named[]): boolean {
  return (
    isGiven(options, named) &&
    !/^(?:false|no|off|0|\?)$/i.test(known(options.value(...keysIn(named.filter(isFlag))) ?? []) ?? "?")
  );
}

const isFlag = ({ value }: Named): boolean => value === undefined;

const keysIn = (named: readonly Named[]): readonly string[] => named.map(({ key }) => key);

interface Told {
  readonly options: Options;
  readonly effects: Effects;
  readonly names: Names;
  readonly label: string | undefined;
}

/** The folder that a call happens in is one of the words that an opaque program may read or write. */
function insideOf(
  deed: Deed,
  { mentions }: Pick<Deed, "mentions">,
  { options, effects, names }: Omit<Told, "label">,
): Effects {
  const folder = deed.in === undefined ? undefined : options.value(...keysIn(names(deed.in)));
  if (folder === undefined) return effects;
  if (mentions !== undefined) effects.operand(folder);
  return effects.within(folder);
}

function deedOf(deed: Deed, label: string | undefined): Program {
  const read = optionReader(specOf(deed));
  const names = canonicalNames(deed);
  return (call, outer) => {
    if (asksForHelp(call.args)) return;
    const options = read(call.args);
    const asked = { options, effects: outer, names, label };
    const harmless = deed.harmless !== undefined && isSurelyGiven(options, names(deed.harmless));
    const chosen = deed.cases?.find((one) => holds(one, asked));
    const told = { ...asked, effects: insideOf(deed, chosen ?? deed, asked) };
    if (!harmless) tellRest(chosen ?? deed, call, told);
    tellValues(deed, told);
    if (chosen !== undefined && !harmless) tellValues(chosen, told);
    if (!harmless) tellOperands(chosen ?? deed, call, told);
  };
}

/** What a deed says whatever the operands are. */
function tellRest(deed: Deed, call: Call, { options, effects, label }: Told): void {
  effects.because?.(label, "whatever its words are");
  if (deed.refuses !== undefined) effects.refuse(deed.refuses.kind, deed.refuses.why);
  if (deed.opaque !== undefined) effects.opaque(deed.opaque);
  effects.because?.(label, "a word that it may read or write");
  if (deed.mentions === "all") mention(call.args, effects);
  if (deed.mentions === "outputs") mentionOutputs(call.args, effects);
  if (deed.mentions === "code") for (const word of options.operands) effects.code(word);
  if (deed.mentions === "operands")
    for (const word of options.operands.slice(deed.skip ?? 0)) effects.operand(word);
  if (deed.input === undefined || call.input.kind !== "text") return;
  effects.because?.(label, "standard input");
  if (deed.input === "shell") effects.shell(call.input.text);
  else effects.code(call.input.text);
}

/** What the values of options are written to or run. */
function tellValues(deed: Deed, { options, effects, names, label }: Told): void {
  const each = (list: string | undefined, tell: (value: Text) => void) => {
    if (list === undefined) return;
    const keys = keysIn(names(list));
    for (const { name, value } of options.options) {
      if (value === undefined || !keys.includes(name)) continue;
      effects.because?.(label, `the value of \`${dashed(name, deed)}\``);
      tell(value);
    }
  };
  each(deed.files, (file) => writeFiles([file], effects));
  each(deed.folders, (folder) => writeTrees([folder], effects));
  each(deed.shell, (code) => effects.shell(code));
  each(deed.programs, (program) => effects.run([program]));
  if (deed.runs !== "script")
    each(deed.code, (code) => {
      effects.code(code);
      effects.opaque("inline code runs");
    });
}

const dashed = (name: string, { style }: Deed) =>
  name.length > 1 && style !== "long" ? `--${name}` : `-${name}`;

function holds({ when, needs = 0 }: Deed, { options, names }: Told): boolean {
  return (when === undefined || isGiven(options, names(when))) && options.operands.length >= needs;
}

function tellOperands(deed: Deed, call: Call, told: Told): void {
  const { options, names } = told;
  if (deed.unless !== undefined && isSurelyGiven(options, names(deed.unless))) return;
  if (!holds(deed, told)) return;
  tellWrites(deed, told);
  if (deed.runs !== undefined) tellRuns(deed, call, told);
}

function tellWrites(deed: Deed, { options, effects, names, label }: Told): void {
  const tree = deed.tree === true || (typeof deed.tree === "string" && isGiven(options, names(deed.tree)));
  const condition = () => (deed.when === undefined ? "" : `, with \`${deed.when}\``);
  const write = (target: Text, isTree: boolean) =>
    effects.write(target, deed.action ?? "write", { tree: isTree, sourcesOnly: deed.sources === true });
  const targets = deed.writes === undefined ? [] : targetsOf(options.operands, deed.writes);
  for (const target of targets) {
    if (deed.action === undefined && isDash(target)) continue;
    effects.because?.(label, `an operand (\`writes: ${deed.writes}\`)${condition()}`);
    if (deed.suffix === undefined) write(packages(target), tree);
    else for (const suffix of wordsOf(deed.suffix)) write(concat(target, literal(suffix)), tree);
  }
  effects.because?.(label, `written whatever the operands are${condition()}`);
  for (const path of wordsOf(deed.fixed ?? "")) write(pathOf(path), tree);
  if (targets.length > 0 || deed.otherwise === undefined) return;
  effects.because?.(label, `what it takes without operands${condition()}`);
  write(pathOf(deed.otherwise), true);
}

function targetsOf(operands: readonly Text[], which: NonNullable<Deed["writes"]>): readonly Text[] {
  if (which === "operands") return operands;
  if (which === "first") return operands.slice(0, 1);
  if (which === "last") return operands.slice(-1);
  if (which === "second") return operands.slice(1, 2);
  return operands.slice(which === "after-first" ? 1 : 2);
}

/** `./...` is everything below, in Go and its kin. */
function packages(target: Text): Text {
  const text = known(target);
  return text?.endsWith("...") === true ? literal(text.replace(/\/?\.\.\.$/, "") || ".") : target;
}

function pathOf(spelled: string): Text {
  return concat(...spelled.split(/(\*)/).map((part) => (part === "*" ? anyName : literal(part))));
}

function tellRuns(deed: Deed, call: Call, { options, effects, names, label }: Told): void {
  effects.because?.(label, `it runs its operands (\`runs: ${deed.runs}\`)`);
  const words = options.operands.slice(deed.skip ?? 0);
  switch (deed.runs) {
    case "script":
      tellCode(options.all(...keysIn(names(deed.code))), options, effects, call);
      break;
    case "package":
      runPackage(words, effects);
      break;
    case "each":
      for (const word of words) effects.shell(word);
      break;
    case "line":
      if (words.length > 0) effects.shell(joined(words));
      break;
    case "shell":
      if (words.length > 0) effects.shell(joined(words));
      else effects.run([literal("sh")]);
      break;
    case "after-dashes":
      runCommand(afterDashes(call.args) ?? words, deed, effects);
      break;
    default:
      runCommand(words, deed, effects);
  }
}

function afterDashes(args: readonly Text[]): readonly Text[] | undefined {
  const at = args.findIndex((word) => known(word) === "--");
  return at < 0 ? undefined : args.slice(at + 1);
}

function runCommand(words: readonly Text[], deed: Deed, effects: Effects): void {
  if (deed.as !== undefined) effects.run([literal(deed.as), ...words]);
  else if (deed.assignments === true) runWithAssignments(words, effects);
  else runWords(words, effects);
}
