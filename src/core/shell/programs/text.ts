import { anyName, concat, known, literal, unknownText } from "../text.ts";
import type { Program } from "../types.ts";
import { hasSlash, named, reading, writeFiles } from "./row/describe.ts";

/** `split [FILE [PREFIX]]`: pieces are called after the prefix. */
const split = reading(
  {
    values: "a,suffix-length b,bytes C,line-bytes l,lines n,number t,separator additional-suffix filter p",
    glued: "d numeric-suffixes x hex-suffixes",
    flags: "e u verbose",
  },
  (options, effects) => {
    const filter = options.value("filter");
    if (filter !== undefined) return effects.shell(filter);
    effects.write(concat(options.operands[1] ?? literal("x"), anyName));
  },
);

const csplit = reading(
  { values: "b,suffix-format f,prefix n,digits", flags: "k s z suppress-matched" },
  (options, effects) => {
    const prefix = options.value("f") ?? literal("xx");
    effects.write(hasSlash(options.value("b")) ? unknownText : concat(prefix, anyName));
  },
);

/** yq: files follow the expression, which may be left out with `-f`. */
const yq = reading(
  {
    values: "f,from-file p,input-format o,output-format I,indent s,split-exp w,width arg argjson slurpfile",
    flags: "i,inplace,in-place e n,null-input r,unwrapScalar y Y j,tojson P,prettyPrint C M N",
  },
  (options, effects) => {
    const verbs = /^(e|eval|ea|eval-all)$/.test(known(options.operands[0] ?? []) ?? "") ? 1 : 0;
    const operands = options.operands.slice(verbs);
    if (options.has("s")) effects.write(anyName);
    if (!options.has("i")) return;
    const files = options.has("f") ? operands : operands.length > 1 ? operands.slice(1) : operands;
    for (const file of files) effects.write(file);
  },
);

const xmlstarlet: Program = (call, effects) => {
  const words = call.args.map((word) => known(word));
  const inPlace = words.some(
    (word) => word === "-L" || word === "--inplace" || /^-[PSO]*L[PSO]*$/.test(word ?? ""),
  );
  if (inPlace) writeFiles(call.args.slice(-1), effects);
};

/** `diff3 --diff-program=PROGRAM`, which gets the files; `sdiff -o FILE`. */
const diffs = reading(
  { values: "diff-program w,width I,ignore-matching-lines L,label o,output" },
  (options, effects, call) => {
    const program = options.value("diff-program");
    if (program !== undefined) effects.run([program, ...options.operands]);
    if (call.name === "sdiff") writeFiles(options.all("o"), effects);
  },
);

const mlr: Program = (call, effects) => {
  for (const [index, word] of call.args.entries()) {
    if (/^(?:tee|split|put|filter)$/.test(known(word) ?? "")) {
      effects.opaque("its verbs may write files and run commands");
      for (const code of call.args.slice(index + 1)) effects.code(code);
      break;
    }
  }
  const at = call.args.findIndex((word) => known(word) === "-I");
  if (at >= 0) for (const word of call.args.slice(at + 1)) effects.write(word);
};

export const textPrograms = new Map<string, Program>([
  ["split", split],
  ["csplit", csplit],
  ["yq", yq],
  ...named("xmlstarlet xml", xmlstarlet),
  ["mlr", mlr],
  ...named("diff3 sdiff", diffs),
]);
