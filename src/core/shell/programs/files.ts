import { optionReader } from "../read-options.ts";
import {
  anyName,
  known,
  knownParts,
  knownStart,
  literal,
  type Text,
  unknownText,
  withoutStart,
} from "../text.ts";
import type { Program } from "../types.ts";
import {
  asksForHelp,
  baseName,
  describe,
  hasSlash,
  inFolder,
  named,
  reading,
  writeTrees,
} from "./describe.ts";

/** `chmod MODE FILE…`: the first operand is no file unless `--reference` gives the mode. */
function attributes(values: string): Program {
  return reading(
    { values: `reference from ${values}`, flags: "R,recursive f,quiet,silent" },
    (options, effects) => {
      const files = options.has("reference") ? options.operands : options.operands.slice(1);
      for (const file of files) effects.write(file, "attributes", { tree: options.has("R") });
    },
  );
}

/** `chmod -w x` and `chattr -i x`: a mode may look like an option. */
const chmod: Program = (call, effects) => {
  const isMode = (word: Text) => /^-[rwxXstugo,=+]+$/.test(known(word) ?? "");
  const at = call.args.findIndex(isMode);
  const args = at < 0 ? call.args : call.args.map((word, index) => (index === at ? literal("+") : word));
  attributes("")({ ...call, args }, effects);
};

const chattr: Program = (call, effects) => {
  const isFile = (word: Text) => !/^[-+=]/.test(knownStart(word));
  const tree = call.args.some((word) => /^-[a-zA-Z]*R/.test(knownStart(word)));
  for (const word of call.args) if (isFile(word)) effects.write(word, "attributes", { tree });
};

const setfacl = reading(
  {
    values: "m,modify x,remove M,modify-file X,remove-file set S,set-file restore",
    flags: "R,recursive test b,remove-all k,remove-default d,default L P n",
  },
  (options, effects) => {
    if (options.has("test")) return;
    if (options.has("restore")) effects.opaque("the file names what is changed");
    for (const file of options.operands) effects.write(file, "attributes", { tree: options.has("R") });
  },
);

/** `xattr -w NAME VALUE FILE…`, `-d NAME FILE…`, `-c FILE…`. */
const xattr = reading({ flags: "r s l x p w d c" }, (options, effects) => {
  const skipped = options.has("w") ? 2 : options.has("d") ? 1 : options.has("c") ? 0 : undefined;
  if (skipped === undefined) return;
  for (const file of options.operands.slice(skipped)) {
    effects.write(file, "attributes", { tree: options.has("r") });
  }
});

const dd: Program = (call, effects) => {
  for (const word of call.args) {
    if (knownStart(word).startsWith("of=")) effects.write(withoutStart(word, 3));
    else if (knownStart(word) === "" && word.length > 0) effects.write(word);
  }
};

const ln = reading(
  {
    values: "t,target-directory S,suffix",
    glued: "backup",
    flags: "s,symbolic f,force n,no-dereference T,no-target-directory L P r,relative i v b d F",
  },
  (options, effects) => {
    const folder = options.value("t");
    const { operands } = options;
    if (hasSlash(options.value("S"))) effects.write(unknownText);
    const alone = operands.length === 1 || folder !== undefined;
    const sources = alone ? operands : operands.slice(0, -1);
    if (!options.has("s")) for (const source of sources) effects.write(source, "link");
    if (folder !== undefined) writeTrees([folder], effects, "link");
    else if (operands.length === 1) effects.write(baseName(operands[0] ?? []) ?? anyName, "link");
    else if (operands.length > 1) effects.write(operands.at(-1) ?? [], "link", { tree: operands.length > 2 });
  },
);

const link: Program = (call, effects) => {
  for (const file of call.args.slice(0, 2)) effects.write(file, "link");
};

const rm = describe({
  values: "",
  glued: "interactive",
  flags: "f,force i I v,verbose d,dir one-file-system preserve-root no-preserve-root P W",
  writes: "operands",
  action: "delete",
  tree: "r,R,recursive",
});

const trash = describe({ writes: "operands", action: "delete", tree: true });

/** Without a template or with `-t`, `-p`: a new file in the temporary folder, which is scratch. */
const mktemp = reading(
  { values: "p suffix", glued: "tmpdir", flags: "d,directory u,dry-run q,quiet t V" },
  (options, effects) => {
    const folder = options.value("p", "tmpdir");
    const template = options.operands[0];
    if (options.has("u")) return;
    if (folder !== undefined && folder.length > 0) effects.write(inFolder(folder, anyName));
    else if (template !== undefined && !options.has("t", "tmpdir", "p")) effects.write(template);
  },
);

/** perl's `rename EXPR FILE…` and util-linux's `rename FROM TO FILE…`. */
const rename = reading(
  {
    values: "e",
    flags: "n,nono,no-act,dry-run f,force v,verbose o,no-overwrite s,symlink d i 0,null a,all l,last",
  },
  (options, effects, call) => {
    const code = options.value("e") ?? options.operands[0];
    if (code !== undefined) effects.code(code);
    if (/[({`]/.test(knownParts(code ?? []))) effects.opaque("the expression is code");
    if (options.has("n")) return;
    const files = options.operands.slice(options.has("e") ? 0 : 1);
    for (const file of files) effects.write(file, "move", { tree: true });
    if (files.length === 0 || call.input.kind !== "none") effects.opaque("it names the files by itself");
  },
);

const gio: Program = (call, effects) => {
  const [command, ...rest] = call.args;
  const files = rest.filter((word) => !knownStart(word).startsWith("-"));
  const name = known(command ?? []);
  if (name === "trash" || name === "remove") writeTrees(files, effects, "delete");
  if (name === "copy" || name === "save") writeTrees(files.slice(-1), effects);
  if (name === "mkdir") for (const file of files) effects.write(file, "folder");
  if (name === "set") for (const file of files.slice(0, 1)) effects.write(file, "attributes");
  if (name === "move" || name === "rename") writeTrees(files, effects, "move");
  if (name === "open" || name === "launch") effects.opaque("it opens another program");
};

const readMkdir = optionReader({ values: "m,mode", glued: "Z,context", flags: "p,parents v,verbose" });
const mkdir: Program = (call, effects) => {
  if (asksForHelp(call.args)) return;
  for (const folder of readMkdir(call.args).operands) effects.write(folder, "folder");
};

export const files = new Map<string, Program>([
  ["rm", rm],
  ["mkdir", mkdir],
  ["ln", ln],
  ["link", link],
  ["dd", dd],
  ["chmod", chmod],
  ["chattr", chattr],
  ["setfacl", setfacl],
  ["xattr", xattr],
  ["mktemp", mktemp],
  ["gio", gio],
  ...named("rename prename perl-rename file-rename mmv", rename),
  ...named("chown chgrp", attributes("")),
  ["chcon", attributes("u,user r,role t,type l,range")],
  [
    "setfattr",
    describe({ values: "n,name v,value x,remove restore", writes: "operands", action: "attributes" }),
  ],
  ...named("rmdir", describe({ flags: "p,parents", writes: "operands", action: "delete" })),
  ...named("unlink srm wipe", describe({ writes: "operands", action: "delete", tree: "r R" })),
  ...named("trash trash-put rmtrash", trash),
  [
    "touch",
    describe({
      values: "d,date t r,reference time",
      glued: "A",
      flags: "a c,no-create f m h",
      writes: "operands",
    }),
  ],
  ["truncate", describe({ values: "s,size r,reference", writes: "operands" })],
  ["fallocate", describe({ values: "l,length o,offset", writes: "operands" })],
  [
    "shred",
    describe({
      values: "n,iterations s,size random-source",
      glued: "remove",
      writes: "operands",
      action: "delete",
    }),
  ],
  ["mkfifo", describe({ values: "m,mode", glued: "Z,context", writes: "operands" })],
  ["mknod", reading({ values: "m,mode" }, (options, effects) => writeFirst(options.operands, effects.write))],
  ["SetFile", describe({ values: "a c d m t P", writes: "operands", action: "attributes" })],
]);

function writeFirst(operands: readonly Text[], write: (target: Text) => void): void {
  const first = operands[0];
  if (first !== undefined) write(first);
}
