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
import { baseName, describe, named, opaqueReader, reading, writeFiles, writeTrees } from "./describe.ts";

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

const tscValues =
  "p,project t,target m,module lib types typeRoots rootDir rootDirs baseUrl jsx moduleResolution locale mapRoot sourceRoot outDir outFile declarationDir tsBuildInfoFile generateTrace generateCpuProfile";

const tsc = reading(
  {
    style: "long",
    values: tscValues,
    flags:
      "b,build noEmit init watch w v,version h,help all showConfig listFilesOnly emitDeclarationOnly d clean",
  },
  (options, effects) => {
    writeTrees(options.all("outDir", "declarationDir", "generateTrace"), effects);
    writeFiles(options.all("outFile", "tsBuildInfoFile", "generateCpuProfile"), effects);
    if (options.has("noEmit") && known(options.value("noEmit") ?? literal("true")) !== "false") return;
    if (options.has("v", "h", "showConfig", "listFilesOnly")) return;
    if (options.has("init")) return effects.write(literal("tsconfig.json"));
    if (!options.has("outDir", "outFile")) effects.opaque("the project's settings say where it writes");
  },
);

const esbuild = reading({ style: "long", values: "" }, (options, effects) => {
  writeFiles(options.all("outfile", "metafile"), effects);
  writeTrees(options.all("outdir"), effects);
  if (options.has("mangle-cache")) writeFiles(options.all("mangle-cache"), effects);
});

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

const bundler = describe({
  values: "c,config m,mode",
  files: "o,file,outfile,out-file",
  folders: "d,dir,outDir,out-dir,outdir,dist-dir,output-path",
  opaque: "its settings are the project's code",
});

const buildsElsewhere = (facts: Parameters<typeof describe>[0]): Program =>
  describe({ ...facts, opaque: "where it writes depends on its settings" });

export const compilers = new Map<string, Program>([
  ...named(
    "gcc cc g++ c++ clang clang++ gfortran gnat tcc icc icx nvcc emcc em++ gdc ldc2 gccgo musl-gcc zig-cc mingw32-gcc x86_64-w64-mingw32-gcc c89 c99 cpp",
    cc,
  ),
  ...named(
    "ld ld.lld lld gold as nasm yasm fasm swiftc ocamlc ocamlopt fpc dmd valac",
    buildsElsewhere({
      style: "first-letter",
      values: "I L l f F g O",
      files: "o Map",
      folders: "odir hidir outputdir",
    }),
  ),
  [
    "ghc",
    reading({ style: "first-letter", values: "e I L l O" }, (options, effects) => {
      effects.opaque("where it writes depends on its settings");
      for (const code of options.all("e")) effects.code(code);
      writeFiles(options.all("o"), effects);
    }),
  ],
  ...named(
    "objcopy",
    describe({
      values:
        "I O F B j,only-section R,remove-section N,strip-symbol K L G W add-section set-section-flags add-gnu-debuglink",
      writes: "last",
    }),
  ),
  ...named("strip", describe({ values: "F I O R N K", files: "o", writes: "operands" })),
  ...named(
    "install_name_tool patchelf codesign",
    describe({
      values: "set-rpath set-interpreter replace-needed change id add_rpath delete_rpath s,sign",
      style: "long",
      files: "output",
      writes: "last",
    }),
  ),
  ["tsc", tsc],
  ["esbuild", esbuild],
  ["protoc", protoc],
  ["buf", opaqueReader("its settings say where it writes")],
  ...named(
    "rollup webpack webpack-cli parcel swc babel tsup unbuild tsdown microbundle ncc rspack rolldown snowpack vite astro next nuxt remix gatsby ng vue-cli-service react-scripts expo metro tailwindcss tailwind postcss storybook svelte-kit docusaurus eleventy hexo hugo jekyll",
    bundler,
  ),
  [
    "rustc",
    buildsElsewhere({
      values: "crate-name crate-type edition emit L l C codegen A W D target cfg extern",
      files: "o",
      folders: "out-dir",
    }),
  ],
  [
    "javac",
    buildsElsewhere({
      style: "long",
      values: "cp classpath class-path sourcepath source target release encoding processor processorpath",
      folders: "d s h",
    }),
  ],
  ...named(
    "kotlinc scalac groovyc kotlinc-jvm",
    buildsElsewhere({ style: "long", values: "cp classpath", folders: "d" }),
  ),
  ["javadoc", buildsElsewhere({ style: "long", values: "cp sourcepath", folders: "d" })],
  ["cython", buildsElsewhere({ values: "X,directive I w", files: "o,output-file" })],
  ...named(
    "bison yacc flex lex re2c ragel swig gperf",
    buildsElsewhere({ values: "L,language S,skeleton", files: "o,output,outfile" }),
  ),
  ...named(
    "pyinstaller nuitka pkg nexe",
    buildsElsewhere({ folders: "distpath workpath out-path", files: "o,output" }),
  ),
  ...named("thrift flatc capnp", buildsElsewhere({ values: "gen r I", folders: "o out" })),
  ...named(
    "openapi-generator openapi-generator-cli swagger-codegen swagger-cli openapi-typescript quicktype graphql-codegen orval",
    buildsElsewhere({ values: "i,input g,generator-name c,config l,lang", folders: "o,output,out-dir" }),
  ),
  ...named(
    "mdbook mkdocs doxygen typedoc jsdoc",
    buildsElsewhere({ folders: "d,dest-dir,out,site-dir,destination" }),
  ),
  [
    "sphinx-build",
    describe({
      values: "b c d D A j w",
      writes: "last",
      tree: true,
      opaque: "its settings are the project's code",
    }),
  ],
  ["wasm-pack", buildsElsewhere({ folders: "d,out-dir", values: "t,target" })],
  ["wasm-opt", describe({ files: "o,output" })],
  ["wat2wasm", describe({ files: "o,output" })],
]);
