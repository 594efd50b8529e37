import { concat, known, knownStart, literal, type Text, unknownText, withoutStart } from "../../text.ts";
import type { Hook, Row } from "../row/row.ts";
import { isDash, writeTrees } from "../row/words.ts";
import { tar } from "./tar.ts";

const unpacks = "the archive decides which files it writes, also through links";
const intoHere = { opaque: unpacks, fixed: ".", tree: true } as const;

/** zip has options of two letters, which may end a cluster: `-qTT COMMAND`. */
function withWholeOptions(words: readonly Text[]): readonly Text[] {
  return words.flatMap((word): readonly Text[] => {
    const [whole = "", letters, pair = ""] = /^-(\w*?)(TT|lf|tt|ds|s[bcdfopsuUv])/.exec(knownStart(word)) ?? [];
    if (letters === undefined) return [word];
    const glued = withoutStart(word, whole.length);
    const option = concat(literal(`--${pair}${glued.length > 0 ? "=" : ""}`), glued);
    return letters === "" ? [option] : [literal(`-${letters}`), option];
  });
}

const packs: Hook = (options, effects) => {
  const [archive, ...sources] = options.operands;
  const target = options.value("O") ?? archive;
  const hasExtension = /\.[^/]*$/.test(known(target ?? []) ?? ".");
  if (target !== undefined && !isDash(target)) effects.write(hasExtension ? target : concat(target, literal(".zip")));
  if (options.has("m")) writeTrees(sources, effects, "delete");
};

/** gzip and similar programs replace each file by one with a suffix, or the reverse. The last mode option counts. */
const compresses =
  (suffixes: readonly string[], { unpacks = false, keeps = false }): Hook =>
  (options, effects) => {
    const mode = options.options.findLast(({ name }) => /^[zdtl]$/.test(name))?.name ?? "";
    if (/[tl]/.test(mode)) return;
    const tree = options.has("r");
    const removes = !options.has("k") && (!keeps || options.has("rm"));
    for (const file of options.operands) {
      if (isDash(file)) continue;
      if (removes || tree) effects.write(file, "delete", { tree });
      if (!tree) effects.write(renamed(file, suffixes, (unpacks || options.has("d")) && !options.has("z")));
    }
  };

function renamed(file: Text, suffixes: readonly string[], isUnpacked: boolean): Text {
  if (!isUnpacked) return concat(file, literal(suffixes[0] ?? ""));
  const last = file.at(-1);
  const suffix = suffixes.find((ending) => last?.kind === "literal" && last.text.endsWith(ending));
  if (suffix === undefined || last?.kind !== "literal") return file;
  return [...file.slice(0, -1), ...literal(last.text.slice(0, -suffix.length))];
}

const compressor = (names: string, suffixes: readonly string[], how: { unpacks?: boolean; keeps?: boolean } = {}): Row => {
  const [name = "", suffix = ""] = [names.split(" ")[0], suffixes[0]];
  const files = how.unpacks === true ? [`a${suffix}`, "a"] : ["a", `a${suffix}`];
  return {
    names,
    values: "b T,threads M,memlimit D filelist",
    glued: "files files0",
    flags: "d,decompress,uncompress t,test l,list k,keep f,force r,recursive q v z,compress rm C c,stdout,to-stdout",
    files: "o,output-file,output",
    cases: [
      { when: "o c" },
      {
        parts: "S,suffix",
        folders: "output-dir-flat output-dir-mirror",
        also: (options, effects, call) => {
          if (options.has("files", "files0", "filelist")) effects.write(unknownText);
          compresses(suffixes, how)(options, effects, call);
        },
      },
    ],
    match: [`${name} ${files[0]} -> ${files.slice(how.keeps === true ? 1 : 0).join(" ")}`, `${name} -o b a -> b`, `${name} -k ${files[0]} -> ${files[1]}`],
    no_match: [`${name} -c a`, `${name} -t a`],
  };
};

const unpacksRar: Hook = (_, effects, call) => {
  const [command, ...rest] = call.args;
  if (!/^[xe]$/.test(known(command ?? []) ?? "")) return;
  const last = rest.findLast((word) => !knownStart(word).startsWith("-"));
  effects.opaque(unpacks);
  writeTrees([last !== undefined && knownStart(last).endsWith("/") ? last : literal(".")], effects);
};

/** `ar rcs ARCHIVE FILE…`, `ar x ARCHIVE`. The letters may be in several words. */
const reportAr: Hook = (options, effects) => {
  const dashed = options.options.map(({ name }) => (name.length === 1 ? name : "")).join("");
  const isDashed = /[dmpqrstxM]/.test(dashed);
  const letters = isDashed ? dashed : dashed + (known(options.operands[0] ?? []) ?? "rx");
  // With `a`, `b` or `i` a member name, and with `N` a count, comes before the archive.
  const before = (isDashed ? 0 : 1) + (/[abi]/.test(letters) ? 1 : 0) + (letters.includes("N") ? 1 : 0);
  if (letters.includes("M")) effects.write(unknownText);
  if (letters.includes("x")) writeTrees([options.value("output") ?? literal(".")], effects);
  if (/[rqdms]/.test(letters)) effects.write(options.operands[before] ?? unknownText);
};

/** `jar cf ARCHIVE …`, `jar --create --file=ARCHIVE …`, `jar xf ARCHIVE`. */
const reportJar: Hook = (_, effects, call) => {
  const [operation, ...rest] = call.args;
  const letters = (known(operation ?? []) ?? "").replace(/^-+/, "");
  if (/^(?:x|extract)/.test(letters)) return writeTrees([literal(".")], effects);
  if (!/^(?:[cu]|create|update)/.test(letters)) return;
  const at = rest.findIndex((word) => /^(?:-f|--file)$/.test(known(word) ?? ""));
  const glued = rest.find((word) => knownStart(word).startsWith("--file="));
  effects.write(glued !== undefined ? withoutStart(glued, 7) : (rest[at + 1] ?? [{ kind: "name" }]));
};

export const archives: readonly Row[] = [
  tar,
  {
    names: "zip",
    spelled: withWholeOptions,
    values: "t,from-date tt,before-date ds n,suffixes P,password i,include x,exclude O,output-file,out s,split-size Z",
    flags: "m,move r,recurse-paths q,quiet u,update f,freshen d,delete j,junk-paths 9 0 T",
    files: "lf,logfile-path",
    folders: "b,temp-path",
    shell: "TT,unzip-command",
    also: packs,
    match: ["zip -r a b -> a.zip", "zip -m a.zip b -> a.zip b", "zip -qTT 'touch x' a.zip b -> a.zip x"],
  },
  compressor("gzip pigz", [".gz", ".tgz"]),
  compressor("gunzip unpigz", [".gz", ".tgz", ".Z"], { unpacks: true }),
  compressor("bzip2 pbzip2 lbzip2", [".bz2"]),
  compressor("bunzip2", [".bz2"], { unpacks: true }),
  compressor("xz pixz", [".xz"]),
  compressor("unxz", [".xz"], { unpacks: true }),
  compressor("lzma", [".lzma"]),
  compressor("unlzma", [".lzma"], { unpacks: true }),
  compressor("lzip", [".lz"]),
  compressor("zstd zstdmt pzstd", [".zst"], { keeps: true }),
  compressor("unzstd", [".zst"], { unpacks: true, keeps: true }),
  compressor("lz4", [".lz4"], { keeps: true }),
  compressor("unlz4", [".lz4"], { unpacks: true, keeps: true }),
  compressor("brotli", [".br"], { keeps: true }),
  compressor("compress", [".Z"]),
  compressor("uncompress", [".Z"], { unpacks: true }),
  { names: "unrar rar", also: unpacksRar, match: ["unrar x a.rar -> .", "unrar x a.rar d/ -> d"], no_match: ["unrar l a.rar"] },
  {
    names: "cpio",
    values: "F,file I O,E H,format C M R,owner pattern-file",
    in: "D,directory",
    cases: [
      { when: "t,list" },
      { when: "o,create", files: "O F" },
      { when: "p,pass-through", writes: "first", tree: true },
      { when: "i,extract", ...intoHere },
    ],
    match: ["cpio -i -> .", "cpio -o -O a -> a", "cpio -pd a -> a", "cpio -iD d -> d"],
    no_match: ["cpio -it"],
  },
  {
    names: "ar gcc-ar llvm-ar",
    values: "output target plugin record-libdeps l",
    flags: "M",
    also: reportAr,
    match: ["ar rcs a b -> a", "ar -x a -> .", "ar x a --output d -> d", "ar ra m a b -> a"],
    no_match: ["ar t a"],
  },
  { names: "jar", also: reportJar, match: ["jar cf a b -> a", "jar --create --file=a b -> a", "jar xf a -> ."], no_match: ["jar tf a"] },
  {
    names: "unzip",
    values: "x P O I",
    folders: "d",
    harmless: "l t p c z Z v h hh",
    ...intoHere,
    cases: [{ when: "d", opaque: unpacks }, intoHere],
    match: ["unzip a.zip -> .", "unzip -o a.zip -d b -> b"],
    no_match: ["unzip -l a.zip", "unzip -p a.zip b", "unzip -h"],
  },
  {
    names: "7z 7za 7zr 7zz p7zip",
    style: "first-letter",
    values: "o p t m x i w v r",
    commands: {
      "x e": { folders: "o", cases: [{ when: "o", opaque: unpacks }, intoHere] },
      "a d u rn": { cases: [{ when: "sdel", writes: "operands", action: "delete", tree: true }, { writes: "first" }] },
    },
    match: ["7z x a.7z -> .", "7z x a.7z -ob -> b", "7z a b.7z c -> b.7z", "7z a b.7z -sdel c -> b.7z c"],
    no_match: ["7z l a.7z"],
  },
  { names: "unar", values: "p e", folders: "o,output-directory", opaque: "it unpacks", match: ["unar -o b a -> b"] },
  { names: "ranlib", writes: "operands", match: ["ranlib a -> a"] },
  { names: "mksquashfs", writes: "second", match: ["mksquashfs a b -> b"] },
  { names: "unsquashfs", style: "long", folders: "d,dest", opaque: "it unpacks", match: ["unsquashfs -d b a -> b"] },
  { names: "mkisofs genisoimage xorriso", style: "long", values: "V r", files: "o,output", match: ["mkisofs -o a b -> a"], no_match: ["mkisofs b"] },
];
