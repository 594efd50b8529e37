import { anyName, concat, known, knownParts, literal, unknownText } from "../text.ts";
import type { Program } from "../types.ts";
import { both, describe, hasSlash, named, reading, writeFiles, writeTrees } from "./describe.ts";

const tee = describe({ glued: "output-error", flags: "a,append i,ignore-interrupts p", writes: "operands" });

const sort = reading(
  {
    values:
      "o,output k,key t,field-separator S,buffer-size T,temporary-directory parallel batch-size compress-program files0-from random-source sort",
    flags: "b d f g h i M n R r V c,check C m,merge s u,unique z",
  },
  (options, effects) => {
    writeFiles(options.all("o"), effects);
    writeTrees(options.all("T"), effects);
    const program = options.value("compress-program");
    if (program !== undefined) effects.run([program]);
  },
);

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

/** `xmllint --shell` takes commands, `save FILE` among them. */
const xmllint = reading(
  { style: "long", values: "xpath schema dtdvalid relaxng encode path pattern output,o", flags: "shell" },
  (options, effects, call) => {
    writeFiles(options.all("output"), effects);
    if (!options.has("shell")) return;
    effects.opaque("its commands may write files");
    if (call.input.kind === "text") effects.code(call.input.text);
  },
);

/** `dos2unix FILE…` in place, `-n IN OUT` apart. */
const dos2unix = reading(
  { values: "c,convmode i D", flags: "n,newfile o,oldfile k q f s O,to-stdout" },
  (options, effects) => {
    if (options.has("i", "O")) return;
    const files = options.has("n")
      ? options.operands.filter((_, index) => index % 2 === 1)
      : options.operands;
    writeFiles(files, effects);
  },
);

/** `sd FIND REPLACE FILE…` writes the files it is given. */
const sd = reading({ values: "f,flags n,max-replacements", flags: "p,preview s F" }, (options, effects) => {
  if (!options.has("p")) writeFiles(options.operands.slice(2), effects);
});

const crudini = reading(
  { glued: "existing", values: "format output", flags: "set del get merge inplace" },
  (options, effects) => {
    if (options.has("set", "del", "merge")) writeFiles(options.operands.slice(0, 1), effects);
  },
);

/** `ast-grep run -p A -r B -U PATH…`. */
const astGrep = reading(
  {
    values: "p,pattern r,rewrite l,lang c,config selector strictness globs threads j",
    flags: "U,update-all i,interactive",
  },
  (options, effects) => {
    if (!options.has("U", "i")) return;
    const paths = options.operands.filter((word) => !/^(run|scan)$/.test(knownParts(word)));
    writeTrees(paths.length === 0 ? [literal(".")] : paths, effects);
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
  ["tee", tee],
  ["sponge", describe({ flags: "a", writes: "operands" })],
  ["sort", sort],
  [
    "uniq",
    describe({
      values: "f,skip-fields s,skip-chars w,check-chars",
      glued: "D,all-repeated group",
      writes: "second",
    }),
  ],
  [
    "shuf",
    describe({ values: "i,input-range n,head-count random-source", flags: "e,echo r z", files: "o,output" }),
  ],
  ["split", split],
  ["csplit", csplit],
  ["iconv", describe({ values: "f,from-code t,to-code", files: "o,output" })],
  ["uconv", describe({ values: "f t x", files: "o,output" })],
  [
    "xxd",
    describe({
      style: "long",
      values: "c,cols g,groupsize l,len n,name o,offset s,seek,skip R",
      flags: "p,ps,postscript,plain r,revert u b i a e E d",
      writes: "second",
    }),
  ],
  ["yq", yq],
  ...named("xmlstarlet xml", xmlstarlet),
  ["xmllint", xmllint],
  ["xsltproc", describe({ style: "long", values: "param stringparam path", files: "output,o writesubtree" })],
  [
    "tidy",
    describe({
      style: "long",
      values: "config wrap",
      files: "o,output f,file",
      writes: "operands",
      when: "m,modify qm mq im mi",
    }),
  ],
  ...named("dos2unix unix2dos mac2unix fromdos todos", dos2unix),
  ["recode", describe({ writes: "after-first" })],
  ["sd", sd],
  ["crudini", crudini],
  ...named("ast-grep", astGrep),
  ["mlr", mlr],
  [
    "rpl",
    describe({ values: "x", flags: "R i w p s", writes: "after-first", tree: true, unless: "s,dry-run" }),
  ],
  [
    "comby",
    describe({
      values: "d,directory m,matcher e,extensions",
      writes: "after-first",
      when: "i,in-place",
      otherwise: ".",
      opaque: "it names the files by itself",
    }),
  ],
  ["fastmod", describe({ values: "d,dir e,extensions", writes: "after-first", otherwise: ".", tree: true })],
  [
    "jscodeshift",
    describe({
      values: "t,transform c,cpus extensions parser ignore-pattern",
      writes: "operands",
      tree: true,
      unless: "d,dry",
      opaque: "the transform is a program",
    }),
  ],
  [
    "codemod",
    describe({
      values: "d extensions",
      writes: "after-first",
      otherwise: ".",
      tree: true,
      opaque: "it names the files by itself",
    }),
  ],
  [
    "m4",
    both(
      describe({
        values: "D,define I,include U,undefine R,reload-state",
        files: "o,debugfile F,freeze-state",
        opaque: "macros may run commands",
      }),
      (call, effects) => {
        if (call.input.kind === "text") effects.code(call.input.text);
      },
    ),
  ],
  ["msgfmt", describe({ values: "D,directory l,locale d", files: "o,output-file" })],
  [
    "msgmerge",
    describe({ values: "C,compendium", files: "o,output-file", writes: "operands", when: "U,update" }),
  ],
  [
    "xgettext",
    describe({
      values: "L,language k,keyword d,default-domain f,files-from p,output-dir from-code",
      files: "o,output",
      opaque: "it writes a catalog",
    }),
  ],
  [
    "ctags",
    describe({ values: "L languages exclude", files: "f,o", glued: "R", opaque: "it writes an index" }),
  ],
  ["etags", describe({ files: "o,output", opaque: "it writes an index" })],
  ["gron", describe({})],
]);
