import {
  type ArithmeticExpression,
  type ProcessSubstitutionPart,
  parse,
  type Word,
  type WordPart,
} from "unbash";
import { expandWordBraces } from "./expand-braces.ts";
import { expandParameter, expandSimple, variableValue } from "./expand-parameter.ts";
import type { Machine } from "./machine.ts";
import { runArithmetic } from "./run-nested.ts";
import { trimNewlines, withGlobs } from "./split-text.ts";
import { anyName, concat, known, literal, type Piece, type Text, unknownText } from "./text.ts";
import type { World } from "./world.ts";

const noInput = { kind: "none" } as const;

/** The fields that a word expands to: braces, tilde, expansions, splitting. Wildcards stay wildcards. */
export function expandFields(m: Machine, word: Word, world: World): readonly Text[] {
  if (word.parts === undefined) return [tilde(m, word.value, world)];
  if (word.parts.some((part) => part.type === "BraceExpansion")) return expandEachBrace(m, word, world);
  const fields = new FieldBuilder(separatorsOf(world));
  word.parts.forEach((part, index) => {
    addPart(m, part, world, { fields, first: index === 0 });
  });
  return fields.finish();
}

/** The text of a word where no splitting happens. */
export function expandSingle(m: Machine, word: Word, world: World): Text {
  if (word.parts === undefined) return tilde(m, word.value, world);
  return concat(
    ...word.parts.map((part, index) =>
      part.type === "Literal" && index === 0 ? tilde(m, part.value, world) : partText(m, part, world, false),
    ),
  );
}

/** The values of `export x=…` and similar commands: braces make several, and no splitting happens. */
export function expandDeclared(m: Machine, word: Word, world: World): readonly Text[] {
  const choices = word.parts?.some((part) => part.type === "BraceExpansion") ? expandWordBraces(word) : [];
  if (choices === undefined) return [unknownText];
  if (choices.length === 0) return [m.single(word, world)];
  return choices.flatMap((choice) => {
    const again = wordOf(choice);
    return again === undefined ? [unknownText] : expandDeclared(m, again, world);
  });
}

/** A here-document's or double-quoted text's parts, in order. */
export function expandQuoted(m: Machine, parts: readonly WordPart[], world: World): Text {
  return concat(...parts.map((part) => partText(m, part, world, true)));
}

interface Adding {
  readonly fields: FieldBuilder;
  readonly first: boolean;
}

function addPart(m: Machine, part: WordPart, world: World, { fields, first }: Adding): void {
  switch (part.type) {
    case "Literal":
      fields.plain(first ? tilde(m, part.value, world) : literal(part.value));
      break;
    case "DoubleQuoted":
    case "LocaleString":
      addDoubleQuoted(m, part.parts, world, fields);
      break;
    case "SimpleExpansion":
      fields.each(expandSimple(m, part, world), (text) => fields.split(text));
      break;
    case "ParameterExpansion":
      fields.each(expandParameter(m, part, world), (text) => fields.split(text));
      break;
    case "CommandExpansion":
      fields.split(partText(m, part, world, false));
      break;
    case "SingleQuoted":
    case "AnsiCQuoted":
      fields.quoted(literal(part.value));
      break;
    default:
      fields.plain(partText(m, part, world, false));
  }
}

/** `"$@"` and `"${a[@]}"` make as many fields as there are items. */
function addDoubleQuoted(m: Machine, parts: readonly WordPart[], world: World, fields: FieldBuilder): void {
  fields.quoted([]);
  for (const part of parts) {
    const many =
      part.type === "SimpleExpansion" && part.text === "$@"
        ? expandSimple(m, part, world)
        : part.type === "ParameterExpansion" && (part.parameter === "@" || part.index?.text === "@")
          ? expandParameter(m, part, world)
          : undefined;
    if (many === undefined) fields.quoted(partText(m, part, world, true));
    else fields.each(many, (text) => fields.quoted(text));
  }
}

function partText(m: Machine, part: WordPart, world: World, quoted: boolean): Text {
  switch (part.type) {
    case "Literal":
      return literal(part.value);
    case "SingleQuoted":
    case "AnsiCQuoted":
      return literal(part.value);
    case "DoubleQuoted":
    case "LocaleString":
      return expandQuoted(m, part.parts, world);
    case "Glob":
      return quoted ? literal(part.text) : [{ kind: "glob", text: part.text }];
    case "ExtendedGlob":
      return unknownText; // it may match `..`
    case "SimpleExpansion":
      return joined(expandSimple(m, part, world), world);
    case "ParameterExpansion":
      return joined(expandParameter(m, part, world), world);
    case "CommandExpansion":
      return substitution(m, part.script, world);
    case "ArithmeticExpansion":
      return arithmetic(m, part.expression, world);
    case "ProcessSubstitution":
      return [{ kind: "pipe", content: processOutput(m, part, world) }];
    case "BraceExpansion":
      // Braces are not expanded here, but the parts between them are.
      if (part.parts === undefined) return literal(part.text);
      return concat(literal("{"), expandQuoted(m, part.parts, world), literal("}"));
  }
}

function substitution(m: Machine, script: Parameters<Machine["script"]>[0] | undefined, world: World): Text {
  const out = outputOf(m, script, world);
  return out === undefined ? unknownText : trimNewlines(out);
}

function outputOf(m: Machine, script: Parameters<Machine["script"]>[0] | undefined, world: World) {
  return script === undefined ? undefined : m.script(script, world, noInput).out;
}

/** The text that a reader of `<(…)` gets. The input of a `>(…)` is unknown. */
function processOutput(m: Machine, part: ProcessSubstitutionPart, world: World): Text | undefined {
  if (part.operator === "<") return outputOf(m, part.script, world);
  if (part.script !== undefined) m.script(part.script, world, { kind: "unknown" });
  return undefined;
}

function arithmetic(m: Machine, expression: ArithmeticExpression | undefined, world: World): Text {
  if (expression !== undefined) runArithmetic(m, expression, world);
  return anyName;
}

/** Items are joined with the first separator, which a command may have changed. */
function joined(texts: readonly Text[], world: World): Text {
  if (texts.length > 1 && world.variables.has("IFS")) return unknownText;
  return concat(...texts.flatMap((text, index) => (index === 0 ? [text] : [literal(" "), text])));
}

function expandEachBrace(m: Machine, word: Word, world: World): readonly Text[] {
  const choices = expandWordBraces(word);
  if (choices === undefined) return [unknownText];
  return choices.flatMap((choice) => {
    const again = wordOf(choice);
    return again === undefined ? [unknownText] : m.fields(again, world);
  });
}

function wordOf(source: string): Word | undefined {
  const statement = parse(`: ${source}`).commands[0];
  const argument = statement?.command.type === "Command" ? statement.command.args[0] : undefined;
  return argument?.type === "Word" && argument.text === source ? argument : undefined;
}

/** `~` and `~/…` are the home folder; `~+` and `~-` are the working folder and the previous one. */
function tilde(m: Machine, value: string, world: World): Text {
  if (!value.startsWith("~")) return literal(value);
  const [, prefix = "", rest = ""] = /^(~[^/]*)(.*)$/s.exec(value) ?? [];
  const name = { "~": "HOME", "~+": "PWD", "~-": "OLDPWD" }[prefix];
  const folder = name === undefined ? "unknown" : variableValue(m, name, world);
  return Array.isArray(folder) ? concat(folder[0] ?? [], literal(rest)) : unknownText;
}

function separatorsOf(world: World): string | undefined {
  const value = world.variables.get("IFS");
  if (value === undefined || value === "unset") return " \t\n";
  return Array.isArray(value) ? known(value[0] ?? []) : undefined;
}

class FieldBuilder {
  readonly #fields: Text[] = [];
  readonly #separators: string | undefined;
  #current: Piece[] = [];
  #started = false;
  /** White space has just ended a field: a separator of another kind after it belongs to it. */
  #afterSpace = false;

  /** `separators` undefined: unknown, so an unquoted expansion gives unknown text. */
  constructor(separators: string | undefined) {
    this.#separators = separators;
  }

  quoted(text: Text): void {
    this.#started = true;
    this.#afterSpace = false;
    this.#current.push(...text);
  }

  plain(text: Text): void {
    if (text.length > 0) this.quoted(text);
  }

  next(): void {
    if (this.#started) this.#fields.push(concat(this.#current));
    this.#current = [];
    this.#started = false;
  }

  /** Adds each item as a separate field. */
  each(texts: readonly Text[], add: (text: Text) => void): void {
    texts.forEach((text, index) => {
      if (index > 0) this.next();
      add(text);
    });
  }

  split(text: Text): void {
    if (this.#separators === undefined) {
      if (text.length > 0) this.plain(unknownText);
      return;
    }
    for (const piece of text) {
      if (piece.kind !== "literal") {
        this.plain([piece]);
        continue;
      }
      let from = 0;
      for (let at = 0; at <= piece.text.length; at += 1) {
        if (at < piece.text.length && !this.#separators.includes(piece.text[at] as string)) continue;
        this.plain(withGlobs(literal(piece.text.slice(from, at))));
        if (at < piece.text.length) this.#separate(piece.text[at] as string);
        from = at + 1;
      }
    }
  }

  /** White space ends a started field. Any other separator ends a field even if the field is empty. */
  #separate(separator: string): void {
    const isSpace = /[ \t\n]/.test(separator);
    if (!isSpace && !this.#started && !this.#afterSpace) this.quoted([]);
    this.#afterSpace = isSpace && (this.#started || this.#afterSpace);
    this.next();
  }

  finish(): readonly Text[] {
    this.next();
    return this.#fields;
  }
}
