import type { Options } from "../../read-options.ts";
import { concat, known, knownParts, knownStart, literal, type Text, withoutStart } from "../../text.ts";
import type { Action, Effects } from "../../types.ts";
import type { Hook, Row } from "../row/row.ts";
import { baseName, inFolder, isDash, writeTrees } from "../row/words.ts";

const throughLinks = "the copy may write through links below the target";

/** `SOURCE… TARGET`, or `-t FOLDER SOURCE…`. */
function placesOf(options: Options) {
  const folder = options.value("t");
  const sources = folder === undefined ? options.operands.slice(0, -1) : options.operands;
  const target = sources.length === 0 ? undefined : (folder ?? options.operands.at(-1));
  return { sources, target, isFolder: folder !== undefined || sources.length > 1 };
}

/** A file copied into a folder may replace the target of a link with its name. */
function writeInFolder(sources: readonly Text[], target: Text, effects: Effects): void {
  for (const source of sources) {
    const name = known(baseName(source) ?? []) ?? "";
    if (/^\.{0,2}$/.test(name)) effects.opaque(throughLinks);
    else effects.write(inFolder(target, literal(name)));
  }
}

function copyTo(options: Options, effects: Effects, action: Action, isTree: boolean): void {
  const { sources, target, isFolder } = placesOf(options);
  if (target === undefined) return;
  effects.write(target, action, { tree: isTree || isFolder });
  if (isFolder || knownParts(target).endsWith("/")) writeInFolder(sources, target, effects);
}

const copies: Hook = (options, effects) => {
  const tree = options.has("R", "a");
  if (options.has("l")) for (const source of placesOf(options).sources) effects.write(source, "link", { tree });
  copyTo(options, effects, options.has("s") ? "link" : "write", tree || options.has("parents"));
  if (tree && options.has("T")) effects.opaque(throughLinks);
};

const moves: Hook = (options, effects) => {
  const { sources, target, isFolder } = placesOf(options);
  if (target === undefined) return;
  writeTrees(sources, effects, "move");
  // A pattern as the last operand may match several names, and all but the last of them are moved.
  if (target.some((piece) => piece.kind === "glob")) writeTrees([target], effects, "move");
  effects.write(target, "write", { tree: isFolder });
};

/** A hard link is another way to write a file. `ln SOURCE` alone makes one in the working folder. */
const links: Hook = (options, effects) => {
  const { operands } = options;
  const folder = options.value("t");
  const isAlone = operands.length === 1 || folder !== undefined;
  if (!options.has("s")) for (const source of isAlone ? operands : operands.slice(0, -1)) effects.write(source, "link");
  if (folder !== undefined) writeTrees([folder], effects, "link");
  else if (operands.length === 1) effects.write(baseName(operands[0] ?? []) ?? [{ kind: "name" }], "link");
  else if (operands.length > 1) effects.write(operands.at(-1) ?? [], "link", { tree: operands.length > 2 });
};

/** `host:path`, `rsync://…`: on another machine. */
const isRemote = (place: Text): boolean => /^(?:[a-z]+:\/\/|[^/:]*:)/.test(knownStart(place));

function writeHere(target: Text, effects: Effects): void {
  if (isRemote(target)) effects.opaque("it writes on another machine");
  else if (!isDash(target)) writeTrees([target], effects);
}

const syncs: Hook = (options, effects) => {
  const remote = options.value("e");
  if (remote !== undefined && known(remote) !== "ssh") effects.shell(concat(remote, literal(" host true")));
  for (const path of options.all("rsync-path")) effects.code(path);
  const target = options.operands.at(-1);
  if (options.has("n", "list-only") || target === undefined) return;
  if (options.operands.length < 2 && !options.has("read-batch")) return;
  const own = options.operands.slice(0, -1).filter((source) => !isRemote(source));
  if (options.has("remove-source-files")) writeTrees(own, effects, "delete");
  writeTrees(options.all("link-dest"), effects, "link");
  writeHere(target, effects);
};

const copiesByShell: Hook = (options, effects, call) => {
  runSshSettings(options, effects, call);
  const target = options.operands.at(-1);
  if (target === undefined || options.operands.length < 2) return;
  writeHere(target, effects);
  if (isRemote(target)) return;
  effects.opaque(throughLinks);
  const hostLength = (place: Text) => /^[^/:]*:/.exec(knownStart(place))?.[0].length ?? 0;
  const sources = options.operands.slice(0, -1).map((source) => withoutStart(source, hostLength(source)));
  writeInFolder(sources, target, effects);
};

/** A shell on this machine runs `-o ProxyCommand=…` and similar settings. */
export const runSshSettings: Hook = (options, effects) => {
  for (const setting of options.all("o")) {
    const command = /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand|Match\s+exec)\s*[= ]\s*/i.exec(knownStart(setting));
    if (command !== null) effects.shell(withoutStart(setting, command[0].length));
  }
};

/** `cp CONTAINER:PATH FOLDER`: only files copied to this machine count. */
export const copiesFromContainer: Hook = (_, effects, call) => {
  const operands = call.args.filter((word) => !/^-./.test(knownStart(word)));
  const target = operands.at(-1);
  if (operands.length < 2 || target === undefined || /^[^/.][^/]*:/.test(knownStart(target)) || isDash(target)) return;
  effects.opaque(throughLinks);
  writeTrees([target], effects);
};

export const copying: readonly Row[] = [
  {
    names: "cp",
    values: "t,target-directory no-preserve sparse",
    glued: "backup preserve reflink Z,context",
    flags: "R,r,recursive a,archive l,link s,symbolic-link n,no-clobber f,force v,verbose p u,update d i b T,no-target-directory parents",
    parts: "S,suffix",
    also: copies,
    match: ["cp a b -> b", "cp a c d/ -> d d/a d/c", "cp -t d a -> d d/a", "cp -l a b -> a b", "cp -S /x a b -> ? b"],
    no_match: ["cp a"],
  },
  {
    names: "mv",
    values: "t,target-directory",
    glued: "backup Z,context",
    flags: "f,force i,interactive n,no-clobber u,update v,verbose b T,no-target-directory",
    parts: "S,suffix",
    also: moves,
    match: ["mv a b -> a b", "mv -t d a -> a d"],
  },
  {
    names: "install",
    values: "m,mode o,owner g,group t,target-directory f B",
    glued: "backup Z,context",
    flags: "D s,strip b c C,compare p v,verbose T,no-target-directory",
    parts: "S,suffix",
    programs: "strip-program",
    cases: [{ when: "d,directory", writes: "operands", action: "folder" }, { also: (options, effects) => copyTo(options, effects, "write", false) }],
    match: ["install -m 755 a b -> b", "install -d a b -> a b", "install a c d -> d d/a d/c"],
  },
  {
    names: "ln",
    values: "t,target-directory",
    glued: "backup",
    flags: "s,symbolic f,force n,no-dereference T,no-target-directory L P r,relative i v b d F",
    parts: "S,suffix",
    also: links,
    match: ["ln a b -> a b", "ln -s a b -> b", "ln -s d/a -> a", "ln -st d a -> d"],
  },
  {
    names: "rsync",
    exact: true, // popt accepts no abbreviations
    values:
      "e,rsh f,filter B,block-size M,remote-option exclude include exclude-from include-from files-from password-file suffix max-size min-size bwlimit port address chmod chown out-format compare-dest copy-dest link-dest timeout contimeout rsync-path usermap groupmap log-file-format read-batch modify-window iconv skip-compress compress-level compress-choice checksum-choice stop-at stop-after sockopts info debug protocol max-delete",
    flags: "remove-source-files list-only a r v z P",
    files: "log-file write-batch only-write-batch",
    besides: [
      { unless: "n,dry-run list-only", folders: "backup-dir partial-dir T,temp-dir" },
      { when: "K,keep-dirlinks inplace append append-verify", opaque: throughLinks },
    ],
    also: syncs,
    match: ["rsync -a a/ b -> b", "rsync -a h:a b -> b", "rsync -e 'touch q' a h:b -> q host true", "rsync --remove-source-files a b -> a b", "rsync a h:b"],
    no_match: ["rsync -n a b", "rsync h:a"],
  },
  {
    names: "scp",
    values: "c D F i J l o P X",
    flags: "r p q v",
    programs: "S",
    also: copiesByShell,
    match: ["scp h:x a -> a a/x", "scp -o 'ProxyCommand touch q' a h:b -> q", "scp a h:"],
  },
  {
    names: "pax",
    values: "f s x o b",
    flags: "r w v k",
    cases: [
      { when: "r", also: (options, effects) => writeTrees(options.has("w") ? options.operands.slice(-1) : [literal(".")], effects) },
      { when: "w", files: "f" },
    ],
    match: ["pax -rw a b -> b", "pax -rf a -> .", "pax -wf a b -> a"],
    no_match: ["pax -f a"],
  },
  { names: "ditto", values: "arch bom", writes: "last", tree: true, needs: 2, match: ["ditto a b -> b"] },
];
