import { type Options, optionReader } from "../read-options.ts";
import { known, knownStart, literal, type Text } from "../text.ts";
import type { Effects, Program } from "../types.ts";
import { asksForHelp, inFolder, writeFiles, writeTrees } from "./row/describe.ts";

const readTar = optionReader({
  values:
    "f,file C,directory,cd T,files-from X,exclude-from g,listed-incremental b,blocking-factor H,format V,label L,tape-length K,starting-file N,newer,after-date newer-mtime F,info-script,new-volume-script I,use-compress-program exclude strip-components transform,xform to-command mode owner group mtime checkpoint-action rsh-command rmt-command index-file volno-file add-file suffix quoting-style record-size sort s",
  glued: "checkpoint backup occurrence one-top-level",
  flags:
    "x,extract,get c,create t,list r,append u,update A,catenate,concatenate d,diff,compare delete O,to-stdout P,absolute-names remove-files force-local z j J a k m o p v w W S h l i U",
});

/** Old style: `tar xzf FILE`: the letters' values follow in order. */
function withDashes(args: readonly Text[]): readonly Text[] {
  const letters = known(args[0] ?? []) ?? "";
  if (!/^[A-Za-z]+$/.test(letters)) return args;
  const words: Text[] = [];
  let next = 1;
  for (const letter of letters) {
    words.push(literal(`-${letter}`));
    if ("fCTXgbHVLKNFI".includes(letter) && next < args.length) words.push(args[next++] ?? []);
  }
  return [...words, ...args.slice(next)];
}

export const tar: Program = (call, effects) => {
  if (asksForHelp(call.args)) return;
  const options = readTar(withDashes(call.args));
  tellCommands(options, effects);
  for (const file of options.all("g", "index-file", "volno-file")) effects.write(file);
  if (options.has("c", "r", "u", "A", "delete")) return create(options, effects);
  if (options.has("x")) extract(options, effects);
};

/** Programs that tar starts. */
function tellCommands(options: Options, effects: Effects): void {
  for (const code of options.all("F", "I", "to-command", "rsh-command", "rmt-command")) effects.shell(code);
  if (options.has("T")) effects.opaque("a list of files may hold options");
  for (const action of options.all("checkpoint-action")) {
    const text = known(action);
    if (text === undefined) effects.shell(action);
    else if (text.startsWith("exec=")) effects.shell(literal(text.slice(5)));
  }
}

function create(options: Options, effects: Effects): void {
  const isRemote = (file: Text) => /^[^/:]+:/.test(knownStart(file)) && !options.has("force-local");
  const archives = options.all("f");
  writeFiles(
    archives.filter((file) => !isRemote(file)),
    effects,
  );
  if (archives.some(isRemote)) effects.opaque("the archive lies on another machine");
  if (!options.has("remove-files")) return;
  writeTrees(options.operands, innermost(options, effects), "delete");
}

/** Members named one by one bound what is written, unless their names are changed on the way. */
function extract(options: Options, effects: Effects): void {
  if (options.has("O", "to-command")) return;
  const inner = innermost(options, effects);
  inner.opaque("the archive names what it writes, through links too");
  const top = options.value("one-top-level");
  const renames = options.has("strip-components", "transform", "s", "T", "one-top-level", "wildcards");
  const members = options.operands.filter((member) => !/[*?[]/.test(known(member) ?? "*"));
  if (top !== undefined) writeTrees([top], inner);
  else if (renames || members.length === 0 || members.length < options.operands.length) {
    writeTrees([literal(".")], inner);
  } else
    writeTrees(
      members.map((member) => inFolder([], member)),
      inner,
    );
}

function innermost(options: Options, effects: Effects): Effects {
  let inner = effects;
  for (const folder of options.all("C")) inner = inner.within(folder);
  return inner;
}
