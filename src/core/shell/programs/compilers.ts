import type { OptionSpec, Options } from "../read-options.ts";
import {
  anyName,
  concat,
  known,
  knownParts,
  knownStart,
  literal,
  type Text,
  unknownText,
  withoutStart,
} from "../text.ts";
import type { Call, Effects, Program } from "../types.ts";
import { baseName, named, reading, writeFiles } from "./row/describe.ts";

const ccSpec: OptionSpec = {
  style: "first-letter",
  values:
    "o MF MT MQ MJ I L l D U B x include isystem iquote idirafter imacros arch framework target Xlinker Xclang Xpreprocessor Xassembler T u z aux-info dumpbase dumpdir wrapper specs",
  flags: "c S E M MM fsyntax-only v dumpmachine dumpversion",
};

/** C and its kin: without `-o` the result lands in the folder we are in. */
const cc = reading(ccSpec, (options, effects, call) => {
  writeFiles(options.all("o", "MF", "MJ", "aux-info"), effects);
  tellSideFiles(options, effects, call);
  if (options.has("o", "E", "M", "MM", "fsyntax-only", "dumpmachine", "dumpversion")) return;
  if (options.operands.length === 0) return;
  if (call.name === "cpp") return writeFiles(options.operands.slice(1, 2), effects);
  if (!options.has("c", "S")) return effects.write(literal("a.out"));
  for (const source of options.operands) effects.write(objectOf(source, options.has("S") ? ".s" : ".o"));
});

const sideFile =
  /^-(?:MF|f(?:opt-info|dump-|time-trace|module-output|save-optimization-record|profile-dir|profile-generate|diagnostics-\w+-file|crash-diagnostics-dir)[^=]*=)(?=.)/;
const passedOn = /^--?(Map|o|out-implib|dependency-file|MD|MMD|MF|a\w*)(?:=(.*))?$/;

/** Files beside the result, programs in the compiler's place, and options that stand in a file. */
function tellSideFiles(options: Options, effects: Effects, call: Call): void {
  for (const word of call.args) {
    const start = knownStart(word);
    const option = sideFile.exec(start)?.[0];
    if (option !== undefined) effects.write(withoutStart(word, option.length));
    if (start.startsWith("@")) effects.write(unknownText);
    if (/^-(?:fplugin|specs|B)/.test(start)) effects.opaque("parts of the compiler lie elsewhere");
    if (/^-W[pla],/.test(start)) tellPassedOn(knownParts(word).split(",").slice(1), effects);
  }
  tellPassedOn(
    options.all("Xlinker", "Xpreprocessor", "Xassembler").map((word) => knownParts(word)),
    effects,
  );
  for (const prefix of options.all("dumpdir", "dumpbase")) effects.write(concat(prefix, anyName));
  for (const command of options.all("wrapper")) effects.run(knownParts(command).split(",").map(literal));
}

/** Options for the linker, the preprocessor or the assembler. */
function tellPassedOn(words: readonly string[], effects: Effects): void {
  for (const [at, word] of words.entries()) {
    const [, name, glued] = passedOn.exec(word) ?? [];
    const file = glued ?? (name === undefined || name.startsWith("a") ? undefined : words[at + 1]);
    if (file !== undefined) effects.write(file.includes("\u{fffd}") ? unknownText : literal(file));
    if (word.startsWith("@")) effects.write(unknownText);
  }
}

function objectOf(source: Text, extension: string): Text {
  const name = known(baseName(source) ?? [{ kind: "name" }]);
  if (name === undefined) return [{ kind: "name" }];
  const dot = name.lastIndexOf(".");
  return literal((dot > 0 ? name.slice(0, dot) : name) + extension);
}

/** `protoc --ts_out=DIR`, `--descriptor_set_out=FILE`. */
const protoc: Program = (call, effects) => {
  for (const word of call.args) {
    const start = knownStart(word);
    const option = /^--(?:\w+_out|descriptor_set_out|dependency_out)=/.exec(start)?.[0];
    if (option === undefined) continue;
    const value = known(word)?.slice(option.length);
    const folder = value?.slice(value.lastIndexOf(":") + 1);
    effects.write(folder === undefined ? word : literal(folder), "write", { tree: true });
  }
  if (call.args.some((word) => /^--plugin/.test(knownStart(word)))) effects.opaque("a plugin runs");
};

export const compilers = new Map<string, Program>([
  ...named(
    "gcc cc g++ c++ clang clang++ gfortran gnat tcc icc icx nvcc emcc em++ gdc ldc2 gccgo musl-gcc zig-cc mingw32-gcc x86_64-w64-mingw32-gcc c89 c99 cpp",
    cc,
  ),
  ["protoc", protoc],
]);
