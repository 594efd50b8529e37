import { concat, known, knownParts, literal, type Text, unknownText } from "../text.ts";
import type { Effects, Program } from "../types.ts";
import { both, contentOf, named, opaqueProgram, reading } from "./describe.ts";

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
}

/** Recipe lines, inline recipes behind `;`, and `$(shell …)`. */
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
    for (const part of line.split("$(shell ").slice(1)) recipes.push(expanded(part.split(")")[0] ?? ""));
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

export const makes = new Map<string, Program>([
  ...named("make gmake bmake nmake", make),
  ["just", just],
  ...named(
    "task go-task rake ninja scons meson cmake ctest cpack bazel bazelisk buck buck2 pants waf tup redo invoke inv fab nox tox doit mage gulp grunt jake nx turbo lerna rush moon wireit lage ant sbt mill leiningen gradlew gradle mvn mvnw mvnd xcodebuild msbuild dotnet premake xmake b2 rebar3 mix stack cabal dune",
    taskRunner,
  ),
]);
