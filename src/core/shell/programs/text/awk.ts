import { known, knownParts, knownStart, literal, type Text, unknownText } from "../../text.ts";
import type { Effects } from "../../types.ts";
import type { Hook, Row } from "../row/row.ts";
import { contentOf } from "../row/words.ts";
import { readAwkProgram } from "./awk-program.ts";

const runsProgram: Hook = (options, effects, call) => {
  const included = options.all("i").map((name) => known(name));
  const hasProgram = options.has("f", "e");
  if (options.has("f", "l") || included.some((name) => name !== "inplace"))
    effects.opaque("the program may write files");
  const [program, ...rest] = options.operands;
  const read = options.all("f").flatMap((file) => {
    const text = contentOf(file, call);
    return text === undefined ? [] : [text];
  });
  const sources = hasProgram ? [...options.all("e"), ...read] : program === undefined ? [] : [program];
  for (const source of sources) {
    effects.code(source);
    reportProgram(knownParts(source), effects);
  }
  for (const { name, value } of options.options)
    if (/^[dop]$/.test(name)) effects.write(value ?? literal(name === "d" ? "awkvars.out" : "awkprof.out"));
  if (!included.includes("inplace")) return;
  for (const file of hasProgram ? options.operands : rest)
    if (!/^\w+=/.test(knownStart(file))) effects.write(file);
};

/** Targets written in the program; computed ones are unknown. */
function reportProgram(program: string, effects: Effects): void {
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

export const awk: Row = {
  names: "awk gawk mawk nawk goawk original-awk bwk",
  wrapper: true,
  values: "F,field-separator v,assign f,file,E,exec i,include l,load e,source",
  glued: "d,dump-variables o,pretty-print p,profile D,debug L,lint",
  flags: "b c C h g I n M N O P r s S t V W",
  also: runsProgram,
  match: [
    "awk '{print > \"a\"}' b -> a",
    "awk -i inplace 1 a -> a",
    "gawk -o 1 -> awkprof.out",
    "awk 'BEGIN { system(\"touch a\") }' -> a",
  ],
};
