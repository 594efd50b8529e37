import type { Assignment, Command } from "unbash";
import { assign } from "./assign.ts";
import { builtins } from "./builtins.ts";
import { asDescriptor } from "./descriptors.ts";
import { expandDeclared } from "./expand-word.ts";
import { holdsGuarded } from "./guarded-processes.ts";
import type { Machine, RunLookup } from "./machine.ts";
import { printsOn, type Redirected, redirect } from "./redirections.ts";
import { runSubscript } from "./run-nested.ts";
import { reportPlace, runProgram } from "./run-program.ts";
import { concat, known, knownParts, literal, type Text, unknownText } from "./text.ts";
import type { Input } from "./types.ts";
import { both, combine, distinct, type Outcome, type World, withExported } from "./world.ts";

/** A simple command: assignments, redirections, then the command named by the first word. */
export function runCommand(m: Machine, command: Command, world: World, input: Input): Outcome {
  const assignments = command.prefix.filter((item) => item.type === "Assignment");
  const assigned = assignments.reduce((current, item) => assignOne(m, current, item), world);
  const names = assignments.map(({ name }) => name);
  const redirected = redirect(m, command.redirects, world, input);
  if (command.name === undefined) {
    // `$(<file)` is the content of the file.
    const reads = command.redirects.some(({ operator }) => operator.startsWith("<"));
    const { input: file } = redirected;
    const content = file.kind === "text" && holdsGuarded(file.text) ? file.text : undefined;
    return afterRedirect(both(assigned, reads ? content : []), redirected, world);
  }
  const words = [...m.fields(command.name, world), ...command.args.flatMap((arg) => argument(m, arg, world))];
  if (words.length === 0) return both(assigned, []);
  const temporary = withDescriptors(withExported(assigned, names), redirected.descriptors);
  const outcome = m.run(words, temporary, redirected.input);
  const restored =
    names.length === 0 ? outcome : restore(outcome, { assigned: temporary, world, assignments });
  return afterRedirect(restored, redirected, world);
}

/** Sets the descriptors while the command runs. `exec` replaces the map by a copy, which stays. */
export function withDescriptors(world: World, descriptors: World["descriptors"]): World {
  return world.descriptors === descriptors ? world : { ...world, descriptors };
}

/** A file that cannot be opened fails the command before it starts. */
export function afterRedirect(outcome: Outcome, redirected: Redirected, world: World): Outcome {
  const back = (changed: World) =>
    changed.descriptors === redirected.descriptors ? withDescriptors(changed, world.descriptors) : changed;
  const failed = outcome.fail.map(back);
  const fail = redirected.opens ? distinct([...failed, world]) : failed;
  const printsHere = printsOn(redirected);
  const out = printsHere === undefined ? undefined : printsHere ? outcome.out : [];
  return { ok: outcome.ok.map(back), fail, out };
}

/** Runs the expanded words: an alias, a function, a builtin or a program. */
export function runWords(
  m: Machine,
  words: readonly Text[],
  world: World,
  { input, plain = false, asFile = false }: RunLookup & { readonly input: Input },
): Outcome {
  const [first, ...given] = words;
  if (first === undefined) return both(world, []);
  const args = given.map(asDescriptor);
  const word = known(first);
  if (word === undefined) return unresolved(m, words, world);
  const alias = plain ? undefined : world.aliases.get(word);
  // Whether a shell expands aliases depends on how it was started, so both outcomes are kept.
  if (alias !== undefined) {
    const plainly = runWords(m, words, withoutAlias(world, word), { input, plain, asFile });
    return combine([runAlias(m, { word, alias, args }, world, input), plainly]);
  }
  const body = plain ? undefined : world.functions.get(word);
  if (body === null) return unresolved(m, words, world);
  if (body !== undefined) return m.function(body, { ...world, positional: args }, input, world);
  const builtin = builtins.get(word);
  if (builtin !== undefined) {
    m.report.program(word);
    if (asFile) reportPlace(m, word, world);
    return m.report.within(undefined, () => builtin({ m, args, world, input }));
  }
  if (asFile || word !== "kill") reportPlace(m, word, world); // `kill` is a shell builtin
  return runProgram(m, word, args, { world, input });
}

function unresolved(m: Machine, words: readonly Text[], world: World): Outcome {
  const word = knownParts(words[0] ?? [], "…");
  m.report.refuse(
    "unresolved-command",
    `the command name \`${word}\` is not known before it runs: write the name out`,
  );
  for (const text of words.slice(1)) m.report.mention(word, text, world, true);
  return both(world);
}

interface AliasUse {
  readonly word: string;
  readonly alias: Text;
  readonly args: readonly Text[];
}

function withoutAlias(world: World, word: string): World {
  const aliases = new Map(world.aliases);
  aliases.delete(word);
  return { ...world, aliases };
}

function runAlias(m: Machine, { word, alias, args }: AliasUse, world: World, input: Input): Outcome {
  const inner = { ...withoutAlias(world, word), positional: args };
  const outcome = m.code(concat(alias, literal(' "$@"')), inner, input);
  const back = (changed: World) => ({ ...changed, aliases: world.aliases, positional: world.positional });
  return { ...outcome, ok: distinct(outcome.ok.map(back)), fail: distinct(outcome.fail.map(back)) };
}

function argument(m: Machine, arg: Command["args"][number], world: World): readonly Text[] {
  if (arg.type === "Word") return m.fields(arg, world);
  if (arg.value.type === "ArrayValue") for (const element of arg.value.elements) m.fields(element, world);
  const values = arg.value.type === "ArrayValue" ? [unknownText] : expandDeclared(m, arg.value, world);
  const index = arg.index === undefined ? "" : `[${arg.index.text}]`;
  return values.map((value) => concat(literal(`${arg.name}${index}${arg.append ? "+" : ""}=`), value));
}

function assignOne(m: Machine, world: World, { name, value, append, index }: Assignment): World {
  const before = world.variables.get(name);
  if (index !== undefined) runSubscript(m, m.single(index, world), world);
  if (value.type === "ArrayValue") {
    const items = value.elements.flatMap((element) => m.fields(element, world));
    for (const item of items) if (/^\[/.test(knownParts(item))) runSubscript(m, item, world);
    if (value.elements.some((element) => element.text.startsWith("[")))
      return assign(m, world, name, "unknown");
    if (!append) return assign(m, world, name, items);
    return assign(m, world, name, Array.isArray(before) ? [...before, ...items] : "unknown");
  }
  const text = m.single(value, world);
  if (index !== undefined) return assign(m, world, name, "unknown");
  if (!append) return assign(m, world, name, [text]);
  const one = Array.isArray(before) && before.length === 1 ? before[0] : undefined;
  return assign(m, world, name, [one === undefined ? unknownText : concat(one, text)]);
}

interface Temporary {
  readonly assigned: World;
  readonly world: World;
  readonly assignments: readonly Assignment[];
}

/** Variables set before a command last only while the command runs. */
function restore(outcome: Outcome, { assigned, world, assignments }: Temporary): Outcome {
  const back = (changed: World): World => {
    if (changed === assigned) return world;
    const variables = new Map(changed.variables);
    for (const { name } of assignments) {
      const before = world.variables.get(name);
      if (before === undefined) variables.delete(name);
      else variables.set(name, before);
    }
    return { ...changed, variables };
  };
  return { ...outcome, ok: outcome.ok.map(back), fail: outcome.fail.map(back) };
}
