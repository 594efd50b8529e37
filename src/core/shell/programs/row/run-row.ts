import { type Options, optionReader } from "../../read-options.ts";
import { anyName, concat, known, literal, type Text } from "../../text.ts";
import type { Call, Effects, Program } from "../../types.ts";
import { asksForHelp, isDash, joined, mention, mentionOutputs, readsOnly, writeTrees } from "./describe.ts";
import type { Deed, Row } from "./row.ts";
import {
  below,
  canonicalNames,
  isGiven,
  isSurelyGiven,
  type Names,
  specOf,
  valueLists,
  wordsOf,
} from "./row-options.ts";
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
  if (Object.keys(deed).every((key) => silent.has(key))) return readsOnly;
  const done = deedOf(deed, label);
  if (deed.commands === undefined) return done;
  return bySubcommand(deed, done, label);
}

/** What says nothing of a call by itself: a row of these only reads, and its options need not be read. */
const silent: ReadonlySet<string> = new Set([
  ...[
    "names",
    "match",
    "no_match",
    "values",
    "glued",
    "digits",
    "flags",
    "ends",
    "style",
    "exact",
    "wrapper",
  ],
  ...[
    "harmless",
    "when",
    "unless",
    "needs",
    "action",
    "tree",
    "sources",
    "suffix",
    "skip",
    "assignments",
    "as",
  ],
]);

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
  const folder = deed.in === undefined ? undefined : options.value(...names(deed.in).keys);
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
    const harmless = deed.harmless !== undefined && isSurelyGiven(options, names(deed.harmless));
    const chosen = deed.cases?.find((one) => holds(one, options, names));
    const told = {
      options,
      effects: insideOf(deed, chosen ?? deed, { options, effects: outer, names }),
      names,
      label,
    };
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
  for (const { name, value } of options.options) {
    if (value === undefined) continue;
    for (const kind of valueLists) {
      if (deed[kind] === undefined || !names(deed[kind]).keys.includes(name)) continue;
      effects.because?.(label, `the value of \`${dashed(name, deed)}\``);
      tellValue(kind, value, { deed, effects });
    }
  }
}

function tellValue(
  kind: (typeof valueLists)[number],
  value: Text,
  { deed, effects }: { deed: Deed; effects: Effects },
): void {
  if (kind === "files" && (deed.action !== undefined || !isDash(value))) effects.write(value);
  if (kind === "folders") writeTrees([value], effects);
  if (kind === "shell") effects.shell(value);
  if (kind === "programs") effects.run([value]);
  if (kind !== "code" || deed.runs === "script") return;
  effects.code(value);
  effects.opaque("inline code runs");
}

const dashed = (name: string, { style }: Deed) =>
  name.length > 1 && style !== "long" ? `--${name}` : `-${name}`;

function holds({ when, needs = 0 }: Deed, options: Options, names: Names): boolean {
  return (when === undefined || isGiven(options, names(when))) && options.operands.length >= needs;
}

function tellOperands(deed: Deed, call: Call, told: Told): void {
  const { options, names } = told;
  if (deed.unless !== undefined && isSurelyGiven(options, names(deed.unless))) return;
  if (!holds(deed, options, names)) return;
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
  if (deed.fixed !== undefined) for (const path of wordsOf(deed.fixed)) write(pathOf(path), tree);
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
      tellCode(options.all(...names(deed.code).keys), options, effects, call);
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
