import { assign, checkLoader } from "./assign.ts";
import type { BuiltinCall } from "./builtins.ts";
import { runSubscript } from "./run-nested.ts";
import { splitLines, splitWords } from "./split-text.ts";
import { known, literal, type Text } from "./text.ts";
import { both, type Outcome, type World, withVariable, worldsMax } from "./world.ts";

/** Options that do not change which text is read. Those in `valueOptions` take a value. */
const plainOptions = /^-[rsep]*$/;
const valueOptions = /^-[rse]*[pt]$/;

/** Each line that may be read makes a separate world. */
export function readCommand({ m, args, world, input }: BuiltinCall): Outcome {
  const { names, plain, raw } = readOptions(args);
  for (const name of names) checkLoader(m, world, name, "unknown");
  for (const arg of args) runSubscript(m, arg, world);
  const lines = plain && input.kind === "text" ? splitLines(input.text) : undefined;
  const unclear = lines?.some(
    (line) => !raw && line.some((piece) => piece.kind === "literal" && piece.text.includes("\\")),
  );
  if (lines === undefined || unclear === true || lines.length > worldsMax) {
    const changed = names.reduce((current, name) => withVariable(current, name, "unknown"), world);
    return both(changed, []);
  }
  const ok = lines.map((line) => assignWords(world, names, line));
  // At the end of the input, which a loop reaches, `read` empties the variables and fails.
  const ended = names.reduce((current, name) => withVariable(current, name, [[]]), world);
  const ends = ok.length === 0 || m.escapes.broken !== undefined;
  return { ok, fail: ends ? [ended] : [], out: [] };
}

function assignWords(world: World, names: readonly string[], line: Text): World {
  const separators = separatorsOf(world);
  if (separators === undefined)
    return names.reduce((current, name) => withVariable(current, name, "unknown"), world);
  if (names.length === 1)
    return withVariable(world, names[0] as string, [separators === "" ? line : trimmed(line)]);
  const words = splitWords(line);
  return names.reduce((current, name, index) => {
    const rest = words.slice(index);
    const value = index === names.length - 1 && rest.length > 1 ? "unknown" : ([rest[0] ?? []] as const);
    return withVariable(current, name, value);
  }, world);
}

/** The default separators, or none (`IFS= read`). Any other IFS splits lines in ways that are not followed. */
function separatorsOf(world: World): " \t\n" | "" | undefined {
  const value = world.variables.get("IFS");
  if (value === undefined) return " \t\n";
  return Array.isArray(value) && value.every((text) => text.length === 0) ? "" : undefined;
}

function trimmed(line: Text): Text {
  return line.flatMap((piece, index): Text => {
    if (piece.kind !== "literal") return [piece];
    const start = index === 0 ? piece.text.trimStart() : piece.text;
    return literal(index === line.length - 1 ? start.trimEnd() : start);
  });
}

function readOptions(args: readonly Text[]) {
  const names: string[] = [];
  let plain = true;
  let raw = false;
  for (let at = 0; at < args.length; at += 1) {
    const word = known(args[at] as Text) ?? "?";
    if (word.startsWith("-")) {
      raw ||= word.includes("r");
      if (valueOptions.test(word)) at += 1;
      else if (!plainOptions.test(word)) plain = false;
    } else if (/^[A-Za-z_]\w*$/.test(word)) names.push(word);
    else if (!/^\d+$/.test(word)) plain = false;
  }
  return { names: names.length === 0 ? ["REPLY"] : names, plain, raw };
}

/** Followed only as `mapfile -t NAME` on text that is completely known. */
export function mapfileCommand({ m, args, world, input }: BuiltinCall): Outcome {
  const words = args.map((arg) => known(arg) ?? "?");
  const callback = words.findIndex((word) => /^-\w*C/.test(word));
  const glued = (words[callback] ?? "").replace(/^-\w*?C/, "");
  if (callback >= 0) m.subshell(glued === "" ? (args[callback + 1] ?? []) : literal(glued), world, input);
  const name = words.findLast((word) => /^[A-Za-z_]\w*$/.test(word)) ?? "MAPFILE";
  const text = input.kind === "text" ? known(input.text) : undefined;
  const plain = words.every((word) => word === "-t" || word === name);
  const lines = text?.replace(/\n$/, "").split("\n").map(literal);
  return both(
    assign(m, world, name, plain && words.includes("-t") && lines !== undefined ? lines : "unknown"),
    [],
  );
}
