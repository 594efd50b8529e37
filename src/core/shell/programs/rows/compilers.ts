import type { Options } from "../../read-options.ts";
import { anyName, concat, known, knownParts, knownStart, literal, type Text, unknownText, withoutStart } from "../../text.ts";
import type { Call, Effects } from "../../types.ts";
import type { Hook, Row } from "../row/row.ts";
import { baseName } from "../row/words.ts";

const elsewhere = "where it writes depends on its settings";
const projectCode = "its settings are the project's code";

const sideFile =
  /^-(?:MF|f(?:opt-info|dump-|time-trace|module-output|save-optimization-record|profile-dir|profile-generate|diagnostics-\w+-file|crash-diagnostics-dir)[^=]*=)(?=.)/;
const passedOn = /^--?(Map|o|out-implib|dependency-file|MD|MMD|MF|a\w*)(?:=(.*))?$/;

/** Files written next to the result, programs that replace the compiler, and options read from a file. */
function reportSideFiles(options: Options, effects: Effects, call: Call): void {
  for (const word of call.args) {
    const start = knownStart(word);
    const option = sideFile.exec(start)?.[0];
    if (option !== undefined) effects.write(withoutStart(word, option.length));
    if (start.startsWith("@")) effects.write(unknownText);
    if (/^-(?:fplugin|specs|B)/.test(start)) effects.opaque("parts of the compiler are loaded from elsewhere");
    if (/^-W[pla],/.test(start)) reportPassedOn(knownParts(word).split(",").slice(1), effects);
  }
  reportPassedOn(
    options.all("Xlinker", "Xpreprocessor", "Xassembler").map((word) => knownParts(word)),
    effects,
  );
  for (const prefix of options.all("dumpdir", "dumpbase")) effects.write(concat(prefix, anyName));
  for (const command of options.all("wrapper")) effects.run(knownParts(command).split(",").map(literal));
}

/** Options for the linker, the preprocessor or the assembler. */
function reportPassedOn(words: readonly string[], effects: Effects): void {
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

/** Without `-o` the result is written to the working folder. */
const compiles: Hook = (options, effects, call) => {
  reportSideFiles(options, effects, call);
  if (options.has("o", "E", "M", "MM", "fsyntax-only", "dumpmachine", "dumpversion") || options.operands.length === 0) return;
  if (!options.has("c", "S")) return effects.write(literal("a.out"));
  for (const source of options.operands) effects.write(objectOf(source, options.has("S") ? ".s" : ".o"));
};

/** `protoc --ts_out=DIR`, `--descriptor_set_out=FILE`. */
const writesFolders: Hook = (_, effects, call) => {
  for (const word of call.args) {
    const start = knownStart(word);
    const option = /^--(?:\w+_out|descriptor_set_out|dependency_out)=/.exec(start)?.[0];
    if (option === undefined) continue;
    const value = known(word)?.slice(option.length);
    const folder = value?.slice(value.lastIndexOf(":") + 1);
    effects.write(folder === undefined ? word : literal(folder), "write", { tree: true });
  }
};

const cc = {
  style: "first-letter",
  values:
    "MT MQ I L l D U B x include isystem iquote idirafter imacros arch framework target Xlinker Xclang Xpreprocessor Xassembler T u z dumpbase dumpdir wrapper specs",
  flags: "c S E M MM fsyntax-only v dumpmachine dumpversion",
  files: "o MF MJ aux-info",
} as const;

export const compilers: readonly Row[] = [
  {
    names: "gcc cc g++ c++ clang clang++ gfortran gnat tcc icc icx nvcc emcc em++ gdc ldc2 gccgo musl-gcc zig-cc mingw32-gcc x86_64-w64-mingw32-gcc c89 c99",
    ...cc,
    also: compiles,
    match: [
      "gcc a.c -> a.out",
      "gcc -c d/a.c -> a.o",
      "gcc -oa b.c -> a",
      "gcc -E -MF a b.c -> a",
      "gcc -Wl,-Map,a -o b c.o -> a b",
      "gcc -wrapper touch,a -c b.c -> a b.o",
    ],
    no_match: ["gcc -E a.c", "gcc --version"],
  },
  { names: "cpp", ...cc, writes: "second", unless: "o", also: reportSideFiles, match: ["cpp a b -> b", "cpp -o b a -> b"], no_match: ["cpp a"] },
  {
    names: "protoc",
    style: "long",
    also: writesFolders,
    besides: [{ when: "plugin", opaque: "a plugin runs" }],
    match: ["protoc --ts_out=d a.proto -> d", "protoc --go_out=x=y:d a.proto -> d", "protoc --plugin=x a.proto"],
    no_match: ["protoc a.proto"],
  },
  {
    names: "ld ld.lld lld gold as nasm yasm fasm swiftc ocamlc ocamlopt fpc dmd valac",
    style: "first-letter",
    values: "I L l f F g O",
    files: "o Map",
    folders: "odir hidir outputdir",
    opaque: elsewhere,
    match: ["ld -o a b -> a", "as -oa b -> a"],
  },
  { names: "ghc", style: "first-letter", values: "I L l O", files: "o", code: "e", opaque: elsewhere, match: ["ghc -o a b -> a", "ghc -e 'main'"] },
  {
    names: "objcopy",
    values: "I O F B j,only-section R,remove-section N,strip-symbol K L G W add-section set-section-flags add-gnu-debuglink",
    writes: "last",
    match: ["objcopy -O binary a b -> b"],
  },
  { names: "strip", values: "F I O R N K", files: "o", writes: "operands", match: ["strip -R x a -> a", "strip -o b a -> a b"] },
  {
    names: "install_name_tool patchelf",
    style: "long",
    values: "set-rpath set-interpreter replace-needed change id add_rpath delete_rpath",
    files: "output",
    writes: "last",
    unless: "print-rpath print-interpreter print-needed print-soname",
    match: ["patchelf --set-rpath x a -> a"],
    no_match: ["patchelf --print-rpath a"],
  },
  {
    names: "codesign",
    values: "s,sign i,identifier o,options r,requirements entitlements R,test-requirement keychain prefix",
    writes: "operands",
    tree: true,
    cases: [{ when: "s,sign remove-signature", writes: "operands", tree: true }, { when: "d,display v,verify h" }],
    match: ["codesign -fvs x App.app -> App.app", "codesign --remove-signature a -> a"],
    no_match: ["codesign -dv a", "codesign --verify --deep a", "codesign -d --entitlements - a"],
  },
  {
    names: "tsc",
    style: "long",
    values: "p,project t,target m,module lib types typeRoots rootDir rootDirs baseUrl jsx moduleResolution locale mapRoot sourceRoot",
    flags: "b,build w,watch d clean all emitDeclarationOnly",
    files: "outFile tsBuildInfoFile generateCpuProfile",
    folders: "outDir declarationDir generateTrace",
    harmless: "v,version h,help showConfig listFilesOnly",
    cases: [{ when: "init", fixed: "tsconfig.json" }, { when: "outDir outFile" }, { opaque: "the project's settings say where it writes" }],
    match: ["tsc", "tsc --outDir a -> a", "tsc --init -> tsconfig.json", "tsc --noEmit -p x"],
    no_match: ["tsc -v", "tsc --showConfig"],
  },
  {
    names: "esbuild",
    style: "long",
    files: "outfile metafile mangle-cache",
    folders: "outdir",
    match: ["esbuild a --outfile=b --metafile=c -> b c"],
    no_match: ["esbuild a --bundle"],
  },
  { names: "buf", opaque: "its settings say where it writes", mentions: "outputs", match: ["buf generate"] },
  {
    names:
      "rollup webpack webpack-cli parcel swc babel tsup unbuild tsdown microbundle ncc rspack rolldown snowpack vite astro next nuxt remix gatsby ng vue-cli-service react-scripts expo metro tailwindcss tailwind postcss storybook svelte-kit docusaurus eleventy hexo hugo jekyll",
    values: "c,config m,mode",
    files: "o,file,outfile,out-file",
    folders: "d,dir,outDir,out-dir,outdir,dist-dir,output-path cache-dir cacheDir",
    opaque: projectCode,
    match: ["vite build --outDir a -> a", "rollup -o a b -> a", "parcel build --cache-dir c a -> c"],
  },
  {
    names: "rustc",
    values: "crate-name crate-type edition emit L l C codegen A W D target cfg extern",
    files: "o",
    folders: "out-dir",
    opaque: elsewhere,
    match: ["rustc -o a b -> a"],
  },
  {
    names: "javac javadoc",
    style: "long",
    values: "cp classpath class-path sourcepath source target release encoding processor processorpath",
    folders: "d s h",
    opaque: elsewhere,
    match: ["javac -d a B.java -> a"],
  },
  { names: "kotlinc scalac groovyc kotlinc-jvm", style: "long", values: "cp classpath", folders: "d", opaque: elsewhere, match: ["kotlinc -d a b -> a"] },
  { names: "cython", values: "X,directive I w", files: "o,output-file", opaque: elsewhere, match: ["cython -o a b -> a"] },
  {
    names: "bison yacc flex lex re2c ragel swig gperf",
    values: "L,language S,skeleton",
    files: "o,output,outfile",
    opaque: elsewhere,
    match: ["bison -o a b -> a"],
  },
  {
    names: "pyinstaller nuitka pkg nexe",
    folders: "distpath workpath out-path",
    files: "o,output",
    opaque: elsewhere,
    match: ["pyinstaller --distpath a b -> a"],
  },
  { names: "thrift flatc capnp", values: "gen r I", folders: "o out", opaque: elsewhere, match: ["flatc -o a b -> a"] },
  {
    names: "openapi-generator openapi-generator-cli swagger-codegen swagger-cli openapi-typescript quicktype graphql-codegen orval",
    values: "i,input g,generator-name c,config l,lang",
    folders: "o,output,out-dir",
    opaque: elsewhere,
    match: ["quicktype -o a b -> a"],
  },
  { names: "mdbook mkdocs doxygen typedoc jsdoc", folders: "d,dest-dir,out,site-dir,destination", opaque: elsewhere, match: ["mkdocs build -d a -> a"] },
  { names: "sphinx-build", values: "b c d D A j w", writes: "last", tree: true, opaque: projectCode, match: ["sphinx-build -b html a b -> b"] },
  { names: "wasm-pack", folders: "d,out-dir", values: "t,target", opaque: elsewhere, match: ["wasm-pack build -d a -> a"] },
  { names: "wasm-opt wat2wasm", files: "o,output", match: ["wasm-opt a -o b -> b"], no_match: ["wasm-opt a"] },
];
