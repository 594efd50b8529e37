import type { Options } from "../../read-options.ts";
import { known, knownStart, literal, type Text } from "../../text.ts";
import type { Effects } from "../../types.ts";
import type { Hook, Row } from "../row/row.ts";
import { writeFiles, writeTrees } from "../row/words.ts";

/** Old style: `tar xzf FILE`. The values of the letters follow in order. */
function withDashes(words: readonly Text[]): readonly Text[] {
  const letters = known(words[0] ?? []) ?? "";
  if (!/^[A-Za-z]+$/.test(letters)) return words;
  const spelled: Text[] = [];
  let next = 1;
  for (const letter of letters) {
    spelled.push(literal(`-${letter}`));
    if ("fCTXgbHVLKNFI".includes(letter) && next < words.length) spelled.push(words[next++] ?? []);
  }
  return [...spelled, ...words.slice(next)];
}

const runsAtCheckpoints: Hook = (options, effects) => {
  for (const action of options.all("checkpoint-action")) {
    const text = known(action);
    if (text === undefined) effects.shell(action);
    else if (text.startsWith("exec=")) effects.shell(literal(text.slice(5)));
  }
};

const packs: Hook = (options, effects) => {
  const isRemote = (file: Text) => /^[^/:]+:/.test(knownStart(file)) && !options.has("force-local");
  const own = options.all("f").filter((file) => !isRemote(file));
  writeFiles(own, effects);
  if (own.length < options.all("f").length) effects.opaque("the archive is on another machine");
  if (options.has("remove-files")) writeTrees(options.operands, innermost(options, effects), "delete");
};

/** Named members limit which files are written, unless an option renames them. */
const unpacks: Hook = (options, effects) => {
  if (options.has("O", "to-command")) return;
  const inner = innermost(options, effects);
  inner.opaque("the archive decides which files it writes, also through links");
  const top = options.value("one-top-level");
  const renames = options.has("strip-components", "transform", "s", "T", "one-top-level", "wildcards");
  const isBound = options.operands.length > 0 && options.operands.every((member) => !/[*?[]/.test(known(member) ?? "*"));
  if (top !== undefined) writeTrees([top], inner);
  else writeTrees(isBound && !renames ? options.operands : [literal(".")], inner);
};

const innermost = (options: Options, effects: Effects): Effects => options.all("C").reduce((inner, folder) => inner.within(folder), effects);

export const tar: Row = {
  names: "tar bsdtar",
  spelled: withDashes,
  values:
    "f,file C,directory,cd T,files-from X,exclude-from b,blocking-factor H,format V,label L,tape-length K,starting-file N,newer,after-date newer-mtime exclude strip-components transform,xform mode owner group mtime checkpoint-action add-file suffix quoting-style record-size sort s",
  glued: "checkpoint backup occurrence one-top-level",
  flags: "t,list d,diff,compare O,to-stdout P,absolute-names remove-files force-local z j J a k m o p v w W S h l i U",
  action: "write",
  files: "g,listed-incremental index-file volno-file",
  shell: "F,info-script,new-volume-script I,use-compress-program to-command rsh-command rmt-command",
  besides: [{ when: "T", opaque: "a list of files may contain options" }],
  also: runsAtCheckpoints,
  cases: [
    { when: "c,create r,append u,update A,catenate,concatenate delete", also: packs },
    { when: "x,extract,get", also: unpacks },
  ],
  match: [
    "tar cf a b -> a",
    "tar -xzf a -> .",
    "tar xf a -C d b -> d/b",
    "tar cf a --remove-files b -> a b",
    "tar xf a --to-command='touch b' -> b",
    "tar cf a --checkpoint-action=exec='touch b' c -> a b",
  ],
  no_match: ["tar tf a", "tar xOf a"],
};
