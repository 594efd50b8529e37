import { type Options, optionReader } from "../../read-options.ts";
import { anyName, concat, known, literal, type Text, unknownText } from "../../text.ts";
import type { Call, Effects, Program } from "../../types.ts";
import { reportCode } from "./report-code.ts";
import type { Deed } from "./row.ts";
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
import {
  asksForHelp,
  hasSlash,
  isDash,
  joined,
  mention,
  mentionOutputs,
  readsOnly,
  writeTrees,
} from "./words.ts";
import { runPackage, runWithAssignments, runWords } from "./wrapping.ts";

/**
 * The program that a deed describes. The deed is compiled at the first call. `label` is its name in `lockstep explain
 * --why`.
 */
export function programOf(deed: Deed, label?: string): Program {
  let program: Program | undefined;
  return (call, effects) => {
    program ??= compile(deed, label);
    program(call, effects);
  };
}

function compile(deed: Deed, label: string | undefined): Program {
  if (!Object.keys(deed).some((key) => effectKeys.has(key))) return readsOnly;
  const program = deedOf(deed, label);
  return deed.commands === undefined ? program : bySubcommand(deed, program, label);
}

/** Keys that declare an effect. A row without any of them only reads, and its options need not be parsed. */
const effectKeys: ReadonlySet<string> = new Set([
  ...valueLists,
  ...["writes", "otherwise", "fixed", "runs", "opaque", "mentions", "refuses", "input"],
  ...["cases", "besides", "commands", "alone", "also"],
]);

function bySubcommand(deed: Deed, otherwise: Program, label: string | undefined): Program {
  const names = canonicalNames(deed);
  const read = optionReader({ ...specOf(deed), wrapper: true });
  const commandOf = (found: Deed) => ({ found, program: programOf(below(deed, found), label) });
  const commands = new Map(
    Object.entries(deed.commands ?? {}).flatMap(([list, found]) => {
      const command = commandOf(found);
      return wordsOf(list).map((name) => [name, command] as const);
    }),
  );
  const alone = deed.alone === undefined ? undefined : commandOf(deed.alone);
  return (call, effects) => {
    if (asksForHelp(call.args)) return;
    const options = read(deed.spelled?.(call.args) ?? call.args);
    const [word, ...args] = options.operands;
    const name = known(word ?? []);
    const command = word === undefined ? alone : commands.get(name ?? "");
    if (command === undefined) return otherwise(call, effects);
    const inner = insideOf(deed, command.found, { options, effects, names });
    const context = { options, effects: inner, names, label };
    reportValues(deed, context);
    for (const one of deed.besides ?? []) reportBesides(one, call, context);
    command.program({ ...call, name: name ?? call.name, args }, inner);
  };
}

interface DeedCall {
  readonly options: Options;
  readonly effects: Effects;
  readonly names: Names;
  readonly label: string | undefined;
}

/** An opaque program may also read or write the folder that it works in. */
function insideOf(
  deed: Deed,
  { mentions }: Pick<Deed, "mentions">,
  { options, effects, names }: Omit<DeedCall, "label">,
): Effects {
  const folder = deed.in === undefined ? undefined : options.value(...names(deed.in).keys);
  if (folder === undefined) return effects;
  if (mentions !== undefined) effects.operand(folder);
  return effects.within(folder);
}

function deedOf(deed: Deed, label: string | undefined): Program {
  const read = optionReader(specOf(deed));
  const names = canonicalNames(deed);
  return (given, outer) => {
    const call = deed.spelled === undefined ? given : { ...given, args: deed.spelled(given.args) };
    if (asksForHelp(call.args)) return;
    const options = read(call.args);
    // With `--help` anywhere in its arguments, git prints the usage of the subcommand and does nothing else.
    if (deed.all !== undefined && options.has("help", "help-all")) return;
    for (const spelled of deed.all === undefined ? [] : options.unclear)
      outer.refuse(
        "unparsed",
        `\`git ${call.name} ${spelled}\` matches several options: write the full name of the option`,
      );
    const chosen = deed.cases?.find((one) => holds(one, options, names)) ?? deed;
    const effects = insideOf(deed, chosen, { options, effects: outer, names });
    const context = { options, effects, names, label };
    const isHarmless = deed.harmless !== undefined && isSurelyGiven(options, names(deed.harmless));
    if (!isHarmless) reportRest(chosen, call, context);
    reportValues(deed, context);
    if (isHarmless) return;
    if (chosen !== deed) reportValues(chosen, context);
    reportOperands(chosen, call, context);
    for (const one of deed.besides ?? []) reportBesides(one, call, context);
    if (chosen !== deed) reportHook(chosen, call, context);
    reportHook(deed, call, context);
  };
}

function reportBesides(deed: Deed, call: Call, context: DeedCall): void {
  if (!isDone(deed, context)) return;
  reportRest(deed, call, context);
  reportValues(deed, context);
  reportOperands(deed, call, context);
  reportHook(deed, call, context);
}

function reportHook({ also }: Deed, call: Call, { options, effects, label }: DeedCall): void {
  effects.because?.(label, "decided in code");
  also?.(options, effects, call);
}

/** Effects that do not depend on the operands. */
function reportRest(deed: Deed, call: Call, { options, effects, label }: DeedCall): void {
  effects.because?.(label, "for any arguments");
  if (deed.refuses !== undefined) effects.refuse(deed.refuses.kind, deed.refuses.why);
  if (deed.opaque !== undefined) effects.opaque(deed.opaque);
  effects.because?.(label, "an argument that it may read or write");
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

/** Effects of option values: paths that are written, commands that run. */
function reportValues(deed: Deed, { options, effects, names, label }: DeedCall): void {
  for (const { name, value } of options.options) {
    if (value === undefined) continue;
    for (const kind of valueLists) {
      if (deed[kind] === undefined || !names(deed[kind]).keys.includes(name)) continue;
      effects.because?.(label, `the value of \`${dashed(name, deed)}\``);
      reportValue(kind, value, { deed, effects });
    }
  }
}

function reportValue(
  kind: (typeof valueLists)[number],
  value: Text,
  { deed, effects }: { deed: Deed; effects: Effects },
): void {
  if (kind === "files" && (deed.action !== undefined || !isDash(value))) effects.write(value);
  if (kind === "folders") writeTrees([value], effects);
  if (kind === "parts" && hasSlash(value)) effects.write(unknownText);
  if (kind === "shell") effects.shell(value);
  if (kind === "programs") effects.run([value]);
  if (kind !== "code" || deed.runs === "script") return;
  effects.code(value);
  effects.opaque("it runs inline code");
}

const dashed = (name: string, { style }: Deed) =>
  name.length > 1 && style !== "long" ? `--${name}` : `-${name}`;

function holds({ when, needs = 0 }: Deed, options: Options, names: Names): boolean {
  return (when === undefined || isGiven(options, names(when))) && options.operands.length >= needs;
}

function isDone(deed: Deed, { options, names }: DeedCall): boolean {
  if (deed.unless !== undefined && isSurelyGiven(options, names(deed.unless))) return false;
  return holds(deed, options, names);
}

function reportOperands(deed: Deed, call: Call, context: DeedCall): void {
  if (!isDone(deed, context)) return;
  reportWrites(deed, context);
  if (deed.runs !== undefined) reportRuns(deed, call, context);
}

function reportWrites(deed: Deed, { options, effects, names, label }: DeedCall): void {
  const tree = deed.tree === true || (typeof deed.tree === "string" && isGiven(options, names(deed.tree)));
  const condition = () => (deed.when === undefined ? "" : `, with \`${deed.when}\``);
  const write = (target: Text, isTree: boolean) =>
    effects.write(target, deed.action ?? "write", { tree: isTree, sourcesOnly: deed.sources === true });
  const targets = deed.writes === undefined ? [] : targetsOf(options.operands, deed.writes);
  for (const target of targets) {
    if (deed.action === undefined && isDash(target)) continue;
    effects.because?.(label, `an operand (\`writes: ${deed.writes}\`)${condition()}`);
    if (deed.suffix === undefined) write(packages(target), tree);
    else for (const suffix of wordsOf(deed.suffix)) write(concat(target, pathOf(suffix)), tree);
  }
  effects.because?.(label, `written for any operands${condition()}`);
  if (deed.fixed !== undefined) for (const path of wordsOf(deed.fixed)) write(pathOf(path), tree);
  if (targets.length > 0 || deed.otherwise === undefined) return;
  effects.because?.(label, `its default without operands${condition()}`);
  write(pathOf(deed.otherwise), true);
}

function targetsOf(operands: readonly Text[], which: NonNullable<Deed["writes"]>): readonly Text[] {
  if (which === "operands") return operands;
  if (which === "first") return operands.slice(0, 1);
  if (which === "last") return operands.slice(-1);
  if (which === "second") return operands.slice(1, 2);
  return operands.slice(which === "after-first" ? 1 : 2);
}

/** `./...` is everything below, in Go and similar tools. */
function packages(target: Text): Text {
  const text = known(target);
  return text?.endsWith("...") === true ? literal(text.replace(/\/?\.\.\.$/, "") || ".") : target;
}

function pathOf(spelled: string): Text {
  return concat(...spelled.split(/(\*)/).map((part) => (part === "*" ? anyName : literal(part))));
}

function reportRuns(deed: Deed, call: Call, { options, effects, names, label }: DeedCall): void {
  effects.because?.(label, `it runs its operands (\`runs: ${deed.runs}\`)`);
  const words = options.operands.slice(deed.skip ?? 0);
  if (deed.runs === "script") reportCode(options.all(...names(deed.code).keys), options, effects, call);
  else if (deed.runs === "package") runPackage(words, effects);
  else if (deed.runs === "each") for (const word of words) effects.shell(word);
  else if (deed.runs === "after-dashes") runCommand(afterDashes(call.args) ?? words, deed, effects);
  else if (deed.runs === "operands") runCommand(words, deed, effects);
  else if (words.length > 0) effects.shell(joined(words));
  else if (deed.runs === "shell") effects.run([literal("sh")]);
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
