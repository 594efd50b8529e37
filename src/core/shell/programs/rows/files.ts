import { anyName, known, knownParts, knownStart, literal, type Text, withoutStart } from "../../text.ts";
import type { Hook, Row } from "../row/row.ts";
import { inFolder } from "../row/words.ts";

/** `chmod -w x`: a mode may look like an option. */
function withoutMode(words: readonly Text[]): readonly Text[] {
  const at = words.findIndex((word) => /^-[rwxXstugo,=+]+$/.test(known(word) ?? ""));
  return at < 0 ? words : words.with(at, literal("+"));
}

const writesOutput: Hook = (_, effects, call) => {
  for (const word of call.args) {
    if (knownStart(word).startsWith("of=")) effects.write(withoutStart(word, 3));
    else if (knownStart(word) === "" && word.length > 0) effects.write(word);
  }
};

/** Without a template, or with `-t` or `-p`, mktemp makes a new file in the temporary folder, which is scratch. */
const makesTemporary: Hook = (options, effects) => {
  const folder = options.value("p", "tmpdir");
  const [template] = options.operands;
  if (folder !== undefined && folder.length > 0) effects.write(inFolder(folder, anyName));
  else if (template !== undefined && !options.has("t", "tmpdir", "p")) effects.write(template);
};

/** perl's `rename EXPR FILE…` and util-linux's `rename FROM TO FILE…`. */
const renames: Hook = (options, effects, call) => {
  const code = options.value("e") ?? options.operands[0];
  if (code !== undefined) effects.code(code);
  if (/[({`]/.test(knownParts(code ?? []))) effects.opaque("the expression is code");
  if (options.has("n")) return;
  const files = options.operands.slice(options.has("e") ? 0 : 1);
  for (const file of files) effects.write(file, "move", { tree: true });
  if (files.length === 0 || call.input.kind !== "none") effects.opaque("it chooses the files itself");
};

const attributes = {
  writes: "after-first",
  action: "attributes",
  tree: "R,recursive",
  flags: "f,quiet,silent",
  cases: [{ when: "reference", writes: "operands", action: "attributes", tree: "R,recursive" }],
} as const;

export const files: readonly Row[] = [
  { names: "rm", glued: "interactive", writes: "operands", action: "delete", tree: "r,R,recursive", match: ["rm -rf a b -> a b"] },
  {
    names: "rimraf del-cli trash trash-put rmtrash del",
    writes: "operands",
    action: "delete",
    tree: true,
    values: "impl tmp max-retries",
    match: ["trash a -> a", "rimraf --glob a -> a"],
  },
  { names: "mkdir", values: "m,mode", glued: "Z,context", writes: "operands", action: "folder", match: ["mkdir -p a -> a"] },
  { names: "rmdir", writes: "operands", action: "delete", match: ["rmdir a -> a"] },
  { names: "unlink srm", writes: "operands", action: "delete", tree: "r R", match: ["unlink a -> a"] },
  {
    names: "chmod",
    values: "reference from",
    ...attributes,
    spelled: withoutMode,
    match: ["chmod +x a -> a", "chmod -w a -> a", "chmod --reference=b a -> a"],
  },
  {
    names: "chattr",
    values: "v p",
    spelled: (words) => words.filter((word) => !/^[+=]/.test(knownStart(word))),
    writes: "operands",
    action: "attributes",
    tree: "R",
    match: ["chattr +i a -> a", "chattr -i a b -> a b"],
  },
  { names: "dd", also: writesOutput, match: ["dd if=a of=b bs=1 -> b"], no_match: ["dd if=a"] },
  {
    names: "mktemp",
    values: "p suffix",
    glued: "tmpdir",
    flags: "d,directory q,quiet t V",
    harmless: "u,dry-run",
    also: makesTemporary,
    match: ["mktemp ./a.XXXXXX"],
    no_match: ["mktemp -u a.XXXXXX"],
  },
  {
    names: "rename prename perl-rename file-rename mmv",
    values: "e",
    flags: "n,nono,no-act,dry-run f,force v,verbose o,no-overwrite s,symlink d i 0,null a,all l,last",
    also: renames,
    match: ["rename s/a/b/ a c -> a c"],
  },
  { names: "chown chgrp", values: "reference from", ...attributes, match: ["chown x a -> a", "chown --reference=b a -> a"] },
  { names: "chcon", values: "reference u,user r,role t,type l,range", ...attributes, match: ["chcon x a -> a"] },
  {
    names: "setfacl",
    values: "m,modify x,remove M,modify-file X,remove-file set S,set-file",
    writes: "operands",
    action: "attributes",
    tree: "R,recursive",
    harmless: "test",
    cases: [{ when: "restore", opaque: "the file decides which paths change", writes: "operands" }],
    match: ["setfacl -m u:x:r a -> a", "setfacl --restore=x"],
    no_match: ["setfacl --test -m u:x:r a"],
  },
  {
    names: "xattr",
    cases: [
      { when: "w", writes: "after-second", action: "attributes", tree: "r" },
      { when: "d", writes: "after-first", action: "attributes", tree: "r" },
      { when: "c", writes: "operands", action: "attributes", tree: "r" },
    ],
    match: ["xattr -w n v a -> a", "xattr -d n a -> a", "xattr -rc a -> a"],
    no_match: ["xattr -l a"],
  },
  { names: "setfattr", values: "n,name v,value x,remove restore", writes: "operands", action: "attributes", match: ["setfattr -n x a -> a"] },
  { names: "touch", values: "d,date t r,reference time", glued: "A", writes: "operands", match: ["touch -d now a -> a"] },
  // For these programs `-` is a file name.
  { names: "truncate", values: "s,size r,reference", writes: "operands", action: "write", match: ["truncate -s 0 a - -> a -"] },
  { names: "fallocate", values: "l,length o,offset", writes: "operands", action: "write", match: ["fallocate -l 1 a -> a"] },
  { names: "mkfifo", values: "m,mode", glued: "Z,context", writes: "operands", action: "write", match: ["mkfifo a - -> a -"] },
  { names: "mknod", values: "m,mode", writes: "first", action: "write", match: ["mknod a p -> a", "mknod - p -> -"] },
  // These overwrite the target of a link before they remove anything.
  { names: "shred", values: "n,iterations s,size random-source", glued: "remove", writes: "operands", match: ["shred -u a -> a"] },
  { names: "wipe", writes: "operands", tree: "r R", match: ["wipe -r a -> a"] },
  { names: "link", writes: "operands", action: "link", match: ["link a b -> a b"] },
  { names: "SetFile", values: "a c d m t P", writes: "operands", action: "attributes", match: ["SetFile -a x a -> a"] },
  {
    names: "gio",
    commands: {
      "trash remove": { writes: "operands", action: "delete", tree: true },
      "copy save": { writes: "last", tree: true },
      mkdir: { writes: "operands", action: "folder" },
      set: { writes: "first", action: "attributes" },
      "move rename": { writes: "operands", action: "move", tree: true },
      "open launch": { opaque: "it opens another program" },
    },
    match: ["gio trash a -> a", "gio copy a b -> b", "gio move a b -> a b"],
    no_match: ["gio info a"],
  },
];
