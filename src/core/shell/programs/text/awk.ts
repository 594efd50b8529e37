import { known, knownParts, knownStart, literal, type Text, unknownText } from "../../text.ts";
import type { Effects, Program } from "../../types.ts";
import { contentOf, named, reading } from "../row/describe.ts";
import { readAwkProgram } from "./awk-program.ts";

const awk = reading(
  {
    values: "F,field-separator v,assign f,file E,exec i,include l,load e,source",
    glued: "d,dump-variables o,pretty-print p,profile D,debug L,lint",
    flags: "b c C h g I n M N O P r s S t V W",
    wrapper: true,
  },
  (options, effects, call) => {
    const included = options.all("i").map((name) => known(name));
    const hasProgram = options.has("f", "E", "e");
    if (options.has("f", "E", "l") || included.some((name) => name !== "inplace")) {
      effects.opaque("the program may write files");
    }
    const [program, ...rest] = options.operands;
    const files = hasProgram ? options.operands : rest;
    const read = options
      .all("f", "E")
      .map((file) => contentOf(file, call))
      .filter((text) => text !== undefined);
    const sources = hasProgram ? [...options.all("e"), ...read] : program === undefined ? [] : [program];
    for (const source of sources) {
      effects.code(source);
      tellProgram(knownParts(source), effects);
    }
    for (const { name, value } of options.options)
      if (/^[dop]$/.test(name)) effects.write(value ?? literal(name === "d" ? "awkvars.out" : "awkprof.out"));
    if (!included.includes("inplace")) return;
    for (const file of files) if (!/^\w+=/.test(knownStart(file))) effects.write(file);
  },
);

/** Targets that a program spells out; computed ones are unknown. */
function tellProgram(program: string, effects: Effects): void {
  const { files, commands, pipes } = readAwkProgram(program);
  for (const file of new Set(files)) effects.write(textOf(file));
  for (const command of new Set(commands)) effects.shell(textOf(command));
  for (const command of new Set(pipes))
    effects.run([literal("sh"), literal("-c"), textOf(command)], { input: { kind: "unknown" } });
  if (program.includes("\u{fffd}") || /@(?:include|load)\b/.test(program))
    effects.opaque("a part of the program is not known");
}

function textOf(spelled: string | undefined): Text {
  return spelled === undefined || spelled.includes("\u{fffd}") ? unknownText : literal(spelled);
}

export const awks = new Map<string, Program>(named("awk gawk mawk nawk goawk original-awk bwk", awk));
