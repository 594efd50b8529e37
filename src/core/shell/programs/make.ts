import { concat, known, knownParts, literal, type Text, unknownText } from "../text.ts";
import type { Effects, Program } from "../types.ts";
import { both, contentOf, named, opaqueProgram, reading } from "./row/describe.ts";

const make = reading(
  {
    values:
      "f,file,makefile I,include-dir o,old-file,assume-old W,what-if,new-file,assume-new C,directory eval,E",
    glued: "j,jobs l,load-average O,output-sync debug shuffle",
    flags: "B b d e i k n,just-print,dry-run,recon p q R r S s t v w",
  },
  (options, effects, call) => {
    if (options.has("v")) return;
    const folder = options.value("C");
    const inner = folder === undefined ? effects : effects.within(folder);
    for (const word of options.operands) inner.operand(word);
    for (const code of options.all("eval")) tellMakefile(code, inner);
    const contents = options.all("f").map((file) => contentOf(file, call));
    for (const content of contents) if (content !== undefined) tellMakefile(content, inner);
    if (contents.length > 0 && !contents.includes(undefined)) return;
    const fromInput = options.all("f").some((file) => /^(?:-|\/dev\/stdin)$/.test(known(file) ?? ""));
    if (fromInput && call.input.kind === "unknown")
      inner.refuse("unknown-code", "recipes of unknown content run");
    inner.opaque("recipes run");
  },
);

/** Hands the recipes of a makefile that is known as text to a shell, one line after the other. */
function tellMakefile(makefile: Text, effects: Effects): void {
  const text = known(makefile) ?? knownParts(makefile);
  if (known(makefile) === undefined) effects.refuse("unknown-code", "recipes of unknown content run");
  effects.code(makefile);
  for (const recipe of recipesOf(text)) effects.shell(recipe);
  tellCalls(text, effects);
  if (changesReading.test(text)) effects.refuse("unknown-code", "the makefile changes how recipes are read");
  if (/^[ \t]*(?:-|s)?include\s/m.test(text)) effects.opaque("other makefiles are read");
}

const changesReading =
  /^[ \t]*(?:(?:override|export)[ \t]+)*(?:\.RECIPEPREFIX|\.SHELLFLAGS|SHELL|MAKEFLAGS|MAKEFILES)\s*[:+?!]*=|^[ \t]*-?load\s|\$[({](?:eval|guile)\s/m;

const callsMax = 50;

/** `$(shell COMMAND)` and `$(file >NAME,TEXT)`, wherever they stand. */
function tellCalls(text: string, effects: Effects): void {
  const calls = [...text.matchAll(/\$[({](shell|file)\s+/g)];
  if (calls.length > callsMax) effects.refuse("unknown-code", "the makefile runs too many commands");
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

/** Recipe lines, inline recipes behind `;`, and `X != …`. */
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

/** `$$` is a dollar for the shell; other variables are make's, and not known. */
function expanded(line: string): Text {
  const start = /^[\s@+-]*/.exec(line)?.[0].length ?? 0;
  const parts = line.slice(start).split(/(\$\$|\$\([^)]*\)|\$\{[^}]*\}|\$.)/);
  return concat(
    ...parts.map((part, index) =>
      index % 2 === 0 ? literal(part) : part === "$$" ? literal("$") : unknownText,
    ),
  );
}

const taskRunner = opaqueProgram("tasks of the project run");

/** `just --justfile - recipe`: the recipes come on standard input. */
const just = both(taskRunner, (call, effects) => {
  for (const word of call.args) {
    const content = contentOf(word, call);
    if (content !== undefined) tellMakefile(content, effects);
  }
});

export const makes = new Map<string, Program>([...named("make gmake bmake nmake", make), ["just", just]]);
