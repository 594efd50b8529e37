import type { Options } from "../read-options.ts";
import {
  concat,
  known,
  knownParts,
  knownStart,
  literal,
  type Text,
  unknownText,
  withoutStart,
} from "../text.ts";
import type { Effects, Program } from "../types.ts";
import { baseName, hasSlash, inFolder, isDash, reading, writeFiles, writeTrees } from "./row/describe.ts";

const copyFlags =
  "R,r,recursive a,archive l,link s,symbolic-link n,no-clobber f,force v,verbose p u,update d i b T,no-target-directory parents";

const cp = reading(
  {
    values: "t,target-directory S,suffix no-preserve sparse",
    glued: "backup preserve reflink Z,context",
    flags: copyFlags,
  },
  (options, effects) => {
    const places = placesOf(options);
    if (places === undefined) return;
    const { folder, sources, target } = places;
    if (hasSlash(options.value("S"))) effects.write(unknownText);
    const tree = folder !== undefined || sources.length > 1 || options.has("R", "a", "parents");
    if (options.has("l"))
      for (const source of sources) effects.write(source, "link", { tree: options.has("R", "a") });
    effects.write(target, options.has("s") ? "link" : "write", { tree });
    const isFolder = folder !== undefined || sources.length > 1 || knownParts(target).endsWith("/");
    if (isFolder) writeInFolder(sources, target, effects);
    if (options.has("R", "a") && options.has("T")) effects.opaque(meetsLinks);
  },
);

const meetsLinks = "what is copied may meet links below the target";

/** A file copied into a folder may meet a link of its name there. */
function writeInFolder(sources: readonly Text[], target: Text, effects: Effects): void {
  for (const source of sources) {
    const name = known(baseName(source) ?? []) ?? "";
    if (/^\.{0,2}$/.test(name)) effects.opaque(meetsLinks);
    else effects.write(inFolder(target, literal(name)));
  }
}

/** `SOURCE… TARGET`, or `-t FOLDER SOURCE…`. */
function placesOf(options: Options) {
  const folder = options.value("t");
  const sources = folder === undefined ? options.operands.slice(0, -1) : options.operands;
  const target = folder ?? options.operands.at(-1);
  return target === undefined || sources.length === 0 ? undefined : { folder, sources, target };
}

const mv = reading(
  {
    values: "t,target-directory S,suffix",
    glued: "backup Z,context",
    flags: "f,force i,interactive n,no-clobber u,update v,verbose b T,no-target-directory",
  },
  (options, effects) => {
    const places = placesOf(options);
    if (places === undefined) return;
    const { folder, sources, target } = places;
    if (hasSlash(options.value("S"))) effects.write(unknownText);
    writeTrees(sources, effects, "move");
    // A pattern in the last place may stand for several names, and all but the last of them are moved.
    if (target.some((piece) => piece.kind === "glob")) writeTrees([target], effects, "move");
    effects.write(target, "write", { tree: folder !== undefined || sources.length > 1 });
  },
);

const install = reading(
  {
    values: "m,mode o,owner g,group S,suffix t,target-directory strip-program f B",
    glued: "backup Z,context",
    flags: "d,directory D s,strip b c C,compare p v,verbose T,no-target-directory",
  },
  (options, effects) => {
    if (options.has("d")) {
      for (const folder of options.operands) effects.write(folder, "folder");
      return;
    }
    if (hasSlash(options.value("S"))) effects.write(unknownText);
    const program = options.value("strip-program");
    if (program !== undefined) effects.run([program]);
    const places = placesOf(options);
    if (places === undefined) return;
    const { folder, sources, target } = places;
    const isFolder = folder !== undefined || sources.length > 1;
    effects.write(target, "write", { tree: isFolder });
    if (isFolder || knownParts(target).endsWith("/")) writeInFolder(sources, target, effects);
  },
);

/** `host:path`, `rsync://…`: not on this machine. */
function isRemote(place: Text): boolean {
  const start = knownStart(place);
  return /^[a-z]+:\/\//.test(start) || /^[^/:]*:/.test(start);
}

const rsyncValues =
  "e,rsh f,filter T,temp-dir B,block-size M,remote-option exclude include exclude-from include-from files-from password-file suffix max-size min-size bwlimit port address chmod chown out-format compare-dest copy-dest link-dest timeout contimeout rsync-path usermap groupmap log-file log-file-format backup-dir partial-dir write-batch only-write-batch read-batch modify-window iconv skip-compress compress-level compress-choice checksum-choice stop-at stop-after sockopts info debug protocol max-delete";

const rsync = reading(
  {
    exact: true, // popt knows no abbreviations
    values: rsyncValues,
    flags: "n,dry-run remove-source-files list-only a r v z P K,keep-dirlinks inplace append append-verify",
  },
  (options, effects) => {
    const remote = options.value("e");
    if (remote !== undefined && known(remote) !== "ssh") effects.shell(concat(remote, literal(" host true")));
    if (options.has("rsync-path")) effects.code(options.value("rsync-path") ?? []);
    writeFiles(options.all("log-file", "write-batch", "only-write-batch"), effects);
    const target = options.operands.at(-1);
    if (options.has("n", "list-only") || target === undefined) return;
    if (options.operands.length < 2 && !options.has("read-batch")) return;
    const sources = options.operands.slice(0, -1);
    const own = sources.filter((source) => !isRemote(source));
    if (options.has("remove-source-files")) writeTrees(own, effects, "delete");
    if (options.has("K", "inplace", "append", "append-verify")) effects.opaque(meetsLinks);
    writeTrees(options.all("link-dest"), effects, "link");
    writeTrees(options.all("backup-dir", "partial-dir", "T"), effects);
    writeHere(target, effects);
  },
);

function writeHere(target: Text, effects: Effects): void {
  if (isRemote(target)) effects.opaque("it writes on another machine");
  else if (!isDash(target)) writeTrees([target], effects);
}

const scp = reading({ values: "c D F i J l o P S X", flags: "r p q v" }, (options, effects) => {
  const program = options.value("S");
  if (program !== undefined) effects.run([program]);
  for (const setting of options.all("o")) runSshSetting(setting, effects);
  const target = options.operands.at(-1);
  if (target === undefined || options.operands.length < 2) return;
  writeHere(target, effects);
  if (isRemote(target)) return;
  effects.opaque(meetsLinks);
  const sources = options.operands.slice(0, -1).map((source) => withoutStart(source, hostLength(source)));
  writeInFolder(sources, target, effects);
});

const hostLength = (place: Text): number => /^[^/:]*:/.exec(knownStart(place))?.[0].length ?? 0;

/** `ProxyCommand=…` and its kin are handed to a shell on this machine. */
export function runSshSetting(setting: Text, effects: Effects): void {
  const start = knownStart(setting);
  const command = /^\s*(ProxyCommand|LocalCommand|KnownHostsCommand|Match\s+exec)\s*[= ]\s*/i.exec(start);
  if (command !== null) effects.shell(dropStart(setting, command[0].length));
}

function dropStart(text: Text, length: number): Text {
  const [first, ...rest] = text;
  if (first?.kind !== "literal") return text;
  const left = first.text.slice(length);
  return left === "" ? rest : [{ kind: "literal", text: left }, ...rest];
}

/** `pax -rw SRC… DST` copies, `pax -rf ARCHIVE` unpacks, `pax -wf ARCHIVE` packs. */
const pax = reading({ values: "f s x o b", flags: "r w v k" }, (options, effects) => {
  if (options.has("r")) writeTrees(options.has("w") ? options.operands.slice(-1) : [literal(".")], effects);
  else if (options.has("w")) writeFiles(options.all("f"), effects);
});

export const copying = new Map<string, Program>([
  ["cp", cp],
  ["mv", mv],
  ["install", install],
  ["rsync", rsync],
  ["scp", scp],
  ["pax", pax],
]);
