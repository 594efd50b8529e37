import { known } from "../../text.ts";
import type { Hook, Row } from "../row/row.ts";
import { patchPrograms } from "../text/patch.ts";
import { sed } from "../text/sed.ts";

const choosesFiles = "it chooses the files itself";

const rewrites = {
  values: "p,pattern r,rewrite l,lang c,config selector strictness globs threads j",
  writes: "operands",
  tree: true,
  when: "U,update-all i,interactive",
  otherwise: ".",
} as const;

/** yq: files follow the expression. With `-f` there is no expression operand. */
const rewritesYaml: Hook = (options, effects) => {
  const hasVerb = /^(?:e|eval|ea|eval-all)$/.test(known(options.operands[0] ?? []) ?? "");
  const operands = options.operands.slice(hasVerb ? 1 : 0);
  const isExpression = !options.has("f") && operands.length > 1;
  if (options.has("i")) for (const file of operands.slice(isExpression ? 1 : 0)) effects.write(file);
};

const runsDiff: Hook = (options, effects) => {
  const program = options.value("diff-program");
  if (program !== undefined) effects.run([program, ...options.operands]);
};

const runsVerbs: Hook = (_, effects, call) => {
  const verb = call.args.findIndex((word) => /^(?:tee|split|put|filter)$/.test(known(word) ?? ""));
  if (verb >= 0) effects.opaque("its verbs may write files and run commands");
  if (verb >= 0) for (const code of call.args.slice(verb + 1)) effects.code(code);
  const at = call.args.findIndex((word) => known(word) === "-I");
  if (at >= 0) for (const word of call.args.slice(at + 1)) effects.write(word);
};

export const textPrograms: readonly Row[] = [
  sed,
  ...patchPrograms,
  { names: "tee", glued: "output-error", writes: "operands", action: "write", match: ["ls | tee -a a b -> a b", "ls | tee - -> -"], no_match: ["ls | tee"] },
  { names: "sponge", writes: "operands", match: ["ls | sponge a -> a"] },
  {
    names: "sort",
    values: "k,key t,field-separator S,buffer-size parallel batch-size files0-from random-source sort",
    files: "o,output",
    action: "write",
    folders: "T,temporary-directory",
    programs: "compress-program",
    match: ["sort a -o b -> b", "sort a -o - -> -", "sort -T d a -> d", "sort --compress-program=codex a"],
    no_match: ["sort -k 2 a"],
  },
  {
    names: "uniq",
    values: "f,skip-fields s,skip-chars w,check-chars",
    glued: "D,all-repeated group",
    writes: "second",
    match: ["uniq a b -> b"],
    no_match: ["uniq -f 1 a"],
  },
  {
    names: "shuf",
    values: "i,input-range n,head-count random-source",
    files: "o,output",
    action: "write",
    match: ["shuf -o a b -> a", "shuf -o - b -> -"],
    no_match: ["shuf -n 1 a"],
  },
  {
    names: "xxd",
    style: "long",
    values: "c,cols g,groupsize l,len n,name o,offset s,seek,skip R",
    writes: "second",
    match: ["xxd -r a b -> b"],
    no_match: ["xxd -l 9 a"],
  },
  {
    names: "xmllint",
    style: "long",
    values: "xpath schema dtdvalid relaxng encode path pattern",
    files: "output,o",
    cases: [{ when: "shell", opaque: "its commands may write files", input: "code" }],
    match: ["xmllint --output a b -> a", "xmllint --shell b"],
    no_match: ["xmllint --xpath x a"],
  },
  {
    names: "xsltproc",
    style: "long",
    values: "param stringparam path",
    files: "output,o writesubtree",
    match: ["xsltproc -o a b c -> a"],
    no_match: ["xsltproc b c"],
  },
  {
    names: "tidy",
    style: "long",
    values: "config wrap",
    files: "o,output f,file",
    writes: "operands",
    when: "m,modify qm mq im mi",
    match: ["tidy -m a -> a"],
    no_match: ["tidy a"],
  },
  {
    names: "dos2unix unix2dos mac2unix fromdos todos",
    values: "c,convmode i D",
    harmless: "i O,to-stdout",
    writes: "operands",
    cases: [{ when: "n,newfile", writes: "after-first" }],
    match: ["dos2unix a b -> a b", "dos2unix -n a b -> b"],
    no_match: ["dos2unix -O a"],
  },
  {
    names: "split",
    values: "a,suffix-length b,bytes C,line-bytes l,lines n,number t,separator additional-suffix p",
    glued: "d numeric-suffixes x hex-suffixes",
    shell: "filter",
    cases: [{ when: "filter" }, { needs: 2, writes: "second", action: "write", suffix: "*" }, { fixed: "x*" }],
    match: ["split a -> x*", "split -l 1 a b -> b*", "split --filter='touch a' b -> a"],
  },
  {
    names: "csplit",
    values: "f,prefix n,digits",
    flags: "k s z",
    parts: "b,suffix-format",
    cases: [{ when: "f", also: (options, effects) => effects.write([...(options.value("f") ?? []), { kind: "name" }]) }, { fixed: "xx*" }],
    match: ["csplit a 9 -> xx*", "csplit -f p a 9 -> p*", "csplit -b ../%d a 9 -> ? xx*"],
  },
  {
    names: "yq",
    values: "f,from-file p,input-format o,output-format I,indent s,split-exp w,width arg argjson slurpfile",
    flags: "i,inplace,in-place e n,null-input r,unwrapScalar y Y j,tojson P,prettyPrint C M N",
    besides: [{ when: "s,split-exp", fixed: "*" }],
    also: rewritesYaml,
    match: ["yq -i .a=1 f -> f", "yq e -i .a=1 f -> f", "yq -s .a f -> *"],
    no_match: ["yq .a f"],
  },
  {
    names: "xmlstarlet xml",
    writes: "last",
    when: "L,inplace",
    match: ["xmlstarlet ed -L -u x -v y a -> a", "xml ed -PL a -> a"],
    no_match: ["xmlstarlet sel -t a"],
  },
  { names: "mlr", also: runsVerbs, match: ["mlr -I sort a -> sort a", "mlr put x"], no_match: ["mlr cat a"] },
  {
    names: "diff3",
    values: "w,width I,ignore-matching-lines L,label diff-program",
    also: runsDiff,
    match: ["diff3 --diff-program=touch a b -> a b"],
    no_match: ["diff3 a b c"],
  },
  {
    names: "sdiff",
    values: "w,width I,ignore-matching-lines L,label diff-program",
    files: "o,output",
    also: runsDiff,
    match: ["sdiff -o a b c -> a"],
    no_match: ["sdiff a b"],
  },
  { names: "recode", writes: "after-first", match: ["recode x a -> a"] },
  {
    names: "sd",
    values: "f,flags n,max-replacements",
    writes: "after-second",
    unless: "p,preview",
    match: ["sd x y a -> a"],
    no_match: ["sd -p x y a", "ls | sd x y"],
  },
  {
    names: "crudini",
    glued: "existing",
    values: "format output",
    writes: "first",
    when: "set del merge",
    match: ["crudini --set a b c d -> a"],
    no_match: ["crudini --get a b"],
  },
  {
    names: "ast-grep",
    ...rewrites,
    commands: { "run scan": rewrites },
    match: ["ast-grep run -p x -r y -U a -> a", "ast-grep -p x -r y -U -> ."],
    no_match: ["ast-grep run -p x a"],
  },
  { names: "rpl", values: "x", writes: "after-first", tree: true, unless: "s,dry-run", match: ["rpl x y a -> y a"], no_match: ["rpl -s x y a"] },
  {
    names: "comby",
    values: "d,directory m,matcher e,extensions",
    writes: "after-first",
    when: "i,in-place",
    otherwise: ".",
    opaque: choosesFiles,
    match: ["comby -i x y a -> y a"],
  },
  { names: "fastmod", values: "d,dir e,extensions", writes: "after-first", otherwise: ".", tree: true, match: ["fastmod x -> ."] },
  {
    names: "jscodeshift",
    values: "t,transform c,cpus extensions parser ignore-pattern",
    writes: "operands",
    tree: true,
    unless: "d,dry",
    opaque: "the transform is a program",
    match: ["jscodeshift -t x a -> a"],
  },
  { names: "codemod", values: "d extensions", writes: "after-first", otherwise: ".", tree: true, opaque: choosesFiles, match: ["codemod x -> ."] },
  {
    names: "m4",
    values: "D,define I,include U,undefine R,reload-state",
    files: "o,debugfile F,freeze-state",
    opaque: "macros may run commands",
    input: "code",
    match: ["m4 -F a b -> a"],
  },
  { names: "msgfmt", values: "D,directory l,locale d", files: "o,output-file", match: ["msgfmt -o a b -> a"], no_match: ["msgfmt -c b"] },
  {
    names: "msgmerge",
    values: "C,compendium",
    files: "o,output-file",
    writes: "operands",
    when: "U,update",
    match: ["msgmerge -U a b -> a b"],
    no_match: ["msgmerge a b"],
  },
  {
    names: "xgettext",
    values: "L,language k,keyword d,default-domain f,files-from p,output-dir from-code",
    files: "o,output",
    opaque: "it writes a catalog",
    match: ["xgettext -o a b -> a"],
  },
  { names: "ctags", values: "L languages exclude", files: "f,o", glued: "R", opaque: "it writes an index", match: ["ctags -f a -R . -> a"] },
  { names: "etags", files: "o,output", opaque: "it writes an index", match: ["etags -o a b -> a"] },
];
