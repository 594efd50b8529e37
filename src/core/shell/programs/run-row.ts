import { type OptionSpec, type Options, optionReader } from "../read-options.ts";
import { anyName, concat, known, literal, type Text } from "../text.ts";
import type { Call, Effects, Program } from "../types.ts";
import { asksForHelp, isDash, joined, mention, mentionOutputs, writeFiles, writeTrees } from "./describe.ts";
import { tellCode } from "./interpreters.ts";
import type { Deed, Row } from "./row.ts";
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
  const commands = new Map<string, Program | Deed>();
  for (const [list, below] of Object.entries(deed.commands ?? {}))
    for (const name of wordsOf(list)) commands.set(name, below);
  return (call, effects) => {
    if (asksForHelp(call.args)) return;
    const options = read(call.args);
    const [word, ...args] = options.operands;
    const name = known(word ?? []) ?? "";
    const found = word === undefined ? (deed.alone ?? {}) : commands.get(name);
    if (found === undefined) return otherwise(call, effects);
    const program = typeof found === "function" ? found : describe(below(deed, found), label);
    commands.set(name, program);
    const inner = insideOf(deed, options, effects, names);
    tellValues(deed, { options, effects: inner, names, label });
    program({ ...call, name: name || call.name, args }, inner);
  };
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
const groupsOf = (list: string): string[][] => wordsOf(list).map((group) => group.split(","));

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
    all.flatMap((one) => names.map((name) => listed(one, name))).join(" ");
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

type Names = (list: string | undefined) => readonly string[];

/** An option has one key, whichever of its names a list uses: the first name where it is first listed. */
function canonicalNames(deed: Deed): Names {
  const { values, ends, glued, digits, flags } = specOf(deed);
  const keys = new Map<string, string>();
  for (const group of [values, ends, glued, digits, flags].flatMap((list) => groupsOf(list ?? "")))
    for (const name of group) if (!keys.has(name)) keys.set(name, group[0] ?? name);
  const found = new Map<string, readonly string[]>();
  return (list = "") => {
    const kept = found.get(list) ?? groupsOf(list).map(([name = ""]) => keys.get(name) ?? name);
    found.set(list, kept);
    return kept;
  };
}

interface Told {
  readonly options: Options;
  readonly effects: Effects;
  readonly names: Names;
  readonly label: string | undefined;
}

function insideOf(deed: Deed, options: Options, effects: Effects, names: Names): Effects {
  if (deed.in === undefined) return effects;
  const folder = options.value(...names(deed.in));
  return folder === undefined ? effects : effects.within(folder);
}

function deedOf(deed: Deed, label: string | undefined): Program {
  const read = optionReader(specOf(deed));
  const names = canonicalNames(deed);
  return (call, outer) => {
    if (asksForHelp(call.args)) return;
    const options = read(call.args);
    const told = { options, effects: insideOf(deed, options, outer, names), names, label };
    const harmless = deed.harmless !== undefined && options.has(...names(deed.harmless));
    const chosen = deed.cases?.find((one) => one.when === undefined || options.has(...names(one.when)));
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
  if (deed.mentions === "operands") for (const word of options.operands) effects.operand(word);
  if (deed.input === undefined || call.input.kind !== "text") return;
  effects.because?.(label, "standard input");
  if (deed.input === "shell") effects.shell(call.input.text);
  else effects.code(call.input.text);
}

/** What the values of options are written to or run. */
function tellValues(deed: Deed, { options, effects, names, label }: Told): void {
  const each = (list: string | undefined, tell: (value: Text) => void) => {
    if (list === undefined) return;
    const keys = names(list);
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

function tellOperands(deed: Deed, call: Call, told: Told): void {
  const { options, names } = told;
  if (deed.unless !== undefined && options.has(...names(deed.unless))) return;
  if (deed.when !== undefined && !options.has(...names(deed.when))) return;
  tellWrites(deed, told);
  if (deed.runs !== undefined) tellRuns(deed, call, told);
}

function tellWrites(deed: Deed, { options, effects, names, label }: Told): void {
  const tree = deed.tree === true || (typeof deed.tree === "string" && options.has(...names(deed.tree)));
  const condition = () => (deed.when === undefined ? "" : `, with \`${deed.when}\``);
  const write = (target: Text, isTree: boolean) =>
    effects.write(target, deed.action ?? "write", { tree: isTree, sourcesOnly: deed.sources === true });
  const targets = deed.writes === undefined ? [] : targetsOf(options.operands, deed.writes);
  for (const target of targets) {
    if (isDash(target)) continue;
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
      tellCode(options.all(...names(deed.code)), options, effects, call);
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
