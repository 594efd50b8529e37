import { concat, known, knownParts, literal, type Text, unknownText } from "../../text.ts";
import type { Effects } from "../../types.ts";

/** Passes the recipes of a makefile that is known as text to a shell, line by line. */
export function reportMakefile(makefile: Text, effects: Effects): void {
  const text = known(makefile) ?? knownParts(makefile);
  if (known(makefile) === undefined)
    effects.refuse("unknown-code", "make runs recipes of unknown content: write the recipes out");
  effects.code(makefile);
  for (const recipe of recipesOf(text)) effects.shell(recipe);
  reportCalls(text, effects);
  if (changesReading.test(text))
    effects.refuse(
      "unknown-code",
      "the makefile changes how make reads or runs recipes: leave those settings out",
    );
  if (/^[ \t]*(?:-|s)?include\s/m.test(text)) effects.opaque("it includes other makefiles");
}

const changesReading =
  /^[ \t]*(?:(?:override|export)[ \t]+)*(?:\.RECIPEPREFIX|\.SHELLFLAGS|SHELL|MAKEFLAGS|MAKEFILES)\s*[:+?!]*=|^[ \t]*-?load\s|\$[({](?:eval|guile)\s/m;

const callsMax = 50;

/** `$(shell COMMAND)` and `$(file >NAME,TEXT)` anywhere in the makefile. */
function reportCalls(text: string, effects: Effects): void {
  const calls = [...text.matchAll(/\$[({](shell|file)\s+/g)];
  if (calls.length > callsMax)
    effects.refuse("unknown-code", "the makefile runs too many commands: split it");
  for (const { 0: start, 1: name, index } of calls.slice(0, callsMax)) {
    const body = untilClosed(text.slice(index + start.length), start.charAt(1));
    if (name === "shell") effects.shell(expanded(body));
    else if (body.startsWith(">")) effects.write(expanded(body.replace(/^>+\s*/, "").split(",")[0] ?? ""));
  }
}

function untilClosed(text: string, open: string): string {
  const close = open === "(" ? ")" : "}";
  let depth = 1;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === open) depth++;
    else if (text[at] === close && --depth === 0) return text.slice(0, at);
  }
  return text;
}

/** Recipe lines, inline recipes after `;`, and `X != …`. */
function recipesOf(text: string): Text[] {
  const recipes: Text[] = [];
  for (const line of text.replaceAll("\\\n", " ").split("\n")) {
    const semicolon = line.indexOf(";");
    const head = line.slice(0, semicolon);
    if (/^[\t ]/.test(line)) recipes.push(expanded(line.trimStart()));
    else if (semicolon >= 0 && head.includes(":") && !head.includes("=")) {
      recipes.push(expanded(line.slice(semicolon + 1)));
    }
    const assigned = /^\s*[\w.-]+\s*!=(.*)$/.exec(line)?.[1];
    if (assigned !== undefined) recipes.push(expanded(assigned));
  }
  return recipes;
}

/** `$$` is a dollar for the shell. Other variables belong to make and are unknown. */
function expanded(line: string): Text {
  const start = /^[\s@+-]*/.exec(line)?.[0].length ?? 0;
  const parts = line.slice(start).split(/(\$\$|\$\([^)]*\)|\$\{[^}]*\}|\$.)/);
  return concat(
    ...parts.map((part, index) =>
      index % 2 === 0 ? literal(part) : part === "$$" ? literal("$") : unknownText,
    ),
  );
}
