import type { ParameterExpansionPart, ParameterOperation, SimpleExpansionPart, Word } from "unbash";
import { checkLoader } from "./assign.ts";
import type { Machine } from "./machine.ts";
import { removePart, replacePart } from "./remove-part.ts";
import { runSubscript } from "./run-nested.ts";
import { anyName, concat, known, knownParts, literal, type Text, unknownText } from "./text.ts";
import type { Value, World } from "./world.ts";

/** Set by the shell to a number or plain name, even if a command assigns another value. */
const ownNames = new Set(
  "# ? $ ! - RANDOM SRANDOM SECONDS LINENO UID EUID BASHPID EPOCHSECONDS EPOCHREALTIME SHLVL GROUPS".split(
    " ",
  ),
);
/** Set by the shell to any text. */
const ownTexts = new Set(
  "_ BASH_REMATCH FUNCNAME PIPESTATUS DIRSTACK BASH_COMMAND BASH_SOURCE BASH_LINENO COMP_WORDS".split(" "),
);
/** Set by the system, and plain unless a command assigns to them. */
const plainNames = new Set("USER LOGNAME HOSTNAME HOSTTYPE MACHTYPE OSTYPE COLUMNS LINES OPTIND".split(" "));

/** `$x`: the items of its value; unknown if only the run decides. */
export function expandSimple(m: Machine, part: SimpleExpansionPart, world: World): readonly Text[] {
  const name = part.text.slice(1);
  const value = variableValue(m, name, world);
  const first = Array.isArray(value) && value.length > 1 && !"@*".includes(name) ? value.slice(0, 1) : value;
  return items(m, first, name);
}

/** `${…}` in all its forms. */
export function expandParameter(m: Machine, part: ParameterExpansionPart, world: World): readonly Text[] {
  if (part.index !== undefined) runWord(m, part.index, world);
  if (part.operation !== undefined) runOperands(m, part.operation, world);
  if (part.prefix === "#") return [anyName];
  if (part.prefix === "!") return part.index === undefined ? indirect(m, part, world) : [unknownText];
  const value = indexed(m, part, world);
  if (part.operation === undefined) return items(m, value, part.parameter);
  return operate(m, part, value, world);
}

export function variableValue(m: Machine, name: string, world: World): Value {
  if (name === "@" || name === "*") return world.positional ?? "unknown";
  if (/^[1-9]\d*$/.test(name)) {
    return world.positional === undefined ? "unknown" : itemAt(world.positional, Number(name) - 1);
  }
  if (name === "PPID") return [[{ kind: "name", parent: true }]];
  if (ownNames.has(name)) return [anyName];
  if (ownTexts.has(name)) return "unknown";
  const assigned = world.variables.get(name);
  if (m.counted.has(name)) return assigned === undefined || isNumber(assigned) ? [anyName] : "unknown";
  if (m.defaulted.has(name) && (!Array.isArray(assigned) || assigned.every((text) => text.length === 0)))
    return "unknown";
  if (assigned !== undefined) return assigned;
  return plainNames.has(name) ? [anyName] : wellKnown(m, name, world);
}

function isNumber(value: Value): boolean {
  return Array.isArray(value) && value.every((text) => /^-?\d*$/.test(known(text) ?? "?"));
}

function wellKnown({ context }: Machine, name: string, world: World): Value {
  const values: readonly (readonly [string, string | undefined])[] = [
    ["HOME", world.inherits ? context.home : undefined],
    ["PWD", world.cwd],
    ["OLDPWD", world.previous],
    ["TMPDIR", world.inherits ? context.tmpdir : undefined],
  ];
  const value = values.find(([known]) => known === name)?.[1];
  return value === undefined ? "unknown" : [literal(value)];
}

function items(m: Machine, value: Value, name: string): readonly Text[] {
  if (value === "unset") return [];
  if (value !== "unknown") return value;
  return [m.defaulted.has(name) ? unknownText : [{ kind: "unknown", source: "environment", name }]];
}

function indexed(m: Machine, part: ParameterExpansionPart, world: World): Value {
  const value = variableValue(m, part.parameter, world);
  const index = part.index?.text;
  if (value === "unknown" || value === "unset" || index === "@" || index === "*") return value;
  if (index === undefined)
    return value.length > 1 && !"@*".includes(part.parameter) ? value.slice(0, 1) : value;
  if (!/^\d+$/.test(index)) return "unknown";
  return itemAt(value, Number(index));
}

/** A wildcard may expand to several items, so the items after it have unknown positions. */
function itemAt(items: readonly Text[], index: number): Value {
  const before = items.slice(0, index);
  if (before.some((item) => item.some((piece) => piece.kind === "glob"))) return "unknown";
  const item = items[index];
  return item === undefined ? "unset" : [item];
}

/** `${!x}`: the variable that x names. */
function indirect(m: Machine, part: ParameterExpansionPart, world: World): readonly Text[] {
  const value = part.operation === undefined ? variableValue(m, part.parameter, world) : "unknown";
  const name = Array.isArray(value) ? known(value[0] ?? []) : undefined;
  if (name === undefined) return [unknownText];
  runSubscript(m, literal(name), world);
  return items(m, variableValue(m, name, world), name);
}

/** Operands are always run, whatever the value is: they may contain substitutions with effects. */
function runOperands(m: Machine, operation: ParameterOperation, world: World): void {
  if ("operand" in operation && operation.operand !== undefined) m.single(operation.operand, world);
  if (operation.type === "Replace") {
    m.single(operation.pattern, world);
    m.single(operation.replacement, world);
  }
  if (operation.type !== "Slice") return;
  runWord(m, operation.offset, world);
  if (operation.length !== undefined) runWord(m, operation.length, world);
}

/** Subscripts and offsets are arithmetic. */
function runWord(m: Machine, word: Word, world: World): void {
  runSubscript(m, m.single(word, world), world);
}

function operate(m: Machine, part: ParameterExpansionPart, value: Value, world: World): readonly Text[] {
  const { operation, parameter } = part;
  if (operation?.type === "Default") return withDefault(m, parameter, { operation, value, world });
  if (value === "unset") return [];
  if (value === "unknown" || operation === undefined) return [unknownText];
  const whole = "@*".includes(parameter) || part.index !== undefined;
  if (whole && operation.type === "Slice") return [unknownText];
  return value.map((text) => transform(m, text, operation, world));
}

interface Defaulting {
  readonly operation: Extract<ParameterOperation, { type: "Default" }>;
  readonly value: Value;
  readonly world: World;
}

function withDefault(m: Machine, name: string, { operation, value, world }: Defaulting): readonly Text[] {
  const { operator } = operation;
  if (operator.endsWith("=")) {
    m.defaulted.add(name);
    checkLoader(m, world, name, "unknown");
  }
  // An empty `tmpdir` means that TMPDIR is either empty or not set.
  if (name === "TMPDIR" && !operator.startsWith(":") && !world.variables.has(name)) return [unknownText];
  const certain = value === "unknown" && isAbsent(m, name, world) ? "unset" : value;
  if (certain === "unknown") return [unknownText];
  const empty =
    certain === "unset" || (operator.startsWith(":") && certain.every((text) => text.length === 0));
  const operand = () => [m.single(operation.operand, world)];
  if (operator.endsWith("+")) return empty ? [] : operand();
  if (operator.endsWith("?") || !empty) return certain === "unset" ? [] : certain;
  return operand();
}

function isAbsent(m: Machine, name: string, world: World): boolean {
  const { environment } = m.context;
  return (
    environment !== undefined &&
    world.inherits &&
    !environment.has(name) &&
    !world.variables.has(name) &&
    !m.defaulted.has(name)
  );
}

function transform(m: Machine, text: Text, operation: ParameterOperation, world: World): Text {
  switch (operation.type) {
    case "Remove":
      return isPlainPattern(m, operation.operand, world)
        ? removePart(text, operation.operator, m.single(operation.operand, world))
        : unknownText;
    case "Replace":
      if (!isPlainPattern(m, operation.pattern, world)) return unknownText;
      return replacePart(text, operation.operator, {
        pattern: m.single(operation.pattern, world),
        replacement: m.single(operation.replacement, world),
      });
    case "CaseModification":
      return operation.operand === undefined ? changeCase(text, operation.operator) : unknownText;
    case "Slice":
      return slice(text, operation.offset.text, operation.length?.text);
    case "Transform":
      if (operation.operand.text === "P") runPrompt(m, text);
      return unknownText;
    default:
      return unknownText;
  }
}

/** Wildcards that come from a variable also act as wildcards, and are not followed. */
function isPlainPattern(m: Machine, pattern: Word, world: World): boolean {
  const literals = pattern.parts?.every(
    (part) => part.type === "Literal" || part.type === "Glob" || part.type === "SingleQuoted",
  );
  return (
    pattern.parts === undefined || literals === true || !/[*?[\\]/.test(knownParts(m.single(pattern, world)))
  );
}

/** `${x@P}` expands the value as a prompt, which runs the commands in it. */
function runPrompt(m: Machine, text: Text): void {
  if (!/\$\(|`/.test(known(text) ?? "`")) return;
  m.report.refuse(
    "unknown-code",
    "the command expands a value as a prompt, which runs the commands in it: write the commands out",
  );
}

function changeCase(text: Text, operator: string): Text {
  const value = known(text);
  if (value === undefined) return unknownText;
  const change = (part: string) => (operator.startsWith("^") ? part.toUpperCase() : part.toLowerCase());
  return literal(operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1));
}

function slice(text: Text, offset: string, length: string | undefined): Text {
  const value = known(text);
  const plain = /^\s*\d+\s*$/;
  if (value === undefined || !plain.test(offset) || (length !== undefined && !plain.test(length)))
    return unknownText;
  const from = Number(offset);
  return concat(literal(value.slice(from, length === undefined ? undefined : from + Number(length))));
}
