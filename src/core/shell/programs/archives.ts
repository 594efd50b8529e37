import { optionReader } from "../read-options.ts";
import {
  anyName,
  concat,
  known,
  knownStart,
  literal,
  type Text,
  unknownText,
  withoutStart,
} from "../text.ts";
import type { Effects, Program } from "../types.ts";
import { hasSlash, isDash, named, reading, writeFiles, writeTrees } from "./row/describe.ts";
import { tar } from "./tar.ts";

const unpacks = "the archive names what it writes, through links too";

/** zip has options of two letters, which may stand at the end of a cluster: `-qTT COMMAND`. */
const zip: Program = (call, effects) => {
  const args = call.args.flatMap((word): readonly Text[] => {
    const [whole = "", letters, pair = ""] =
      /^-(\w*?)(TT|lf|tt|ds|s[bcdfopsuUv])/.exec(knownStart(word)) ?? [];
    if (letters === undefined) return [word];
    const glued = withoutStart(word, whole.length);
    const option = concat(literal(`--${pair}${glued.length > 0 ? "=" : ""}`), glued);
    return letters === "" ? [option] : [literal(`-${letters}`), option];
  });
  zipOptions({ ...call, args }, effects);
};

/** `zip ARCHIVE FILE…`; `-m` moves the files into it. */
const zipOptions = reading(
  {
    values:
      "b,temp-path t,from-date tt,before-date ds n,suffixes P,password i,include x,exclude O,output-file,out s,split-size Z TT,unzip-command lf,logfile-path",
    flags: "m,move r,recurse-paths q,quiet u,update f,freshen d,delete j,junk-paths 9 0 sf T",
  },
  (options, effects) => {
    const [archive, ...sources] = options.operands;
    const command = options.value("TT");
    if (command !== undefined) effects.shell(command);
    writeFiles(options.all("lf"), effects);
    writeTrees(options.all("b"), effects);
    const target = options.value("O") ?? archive;
    if (target !== undefined && !isDash(target)) effects.write(withExtension(target, ".zip"));
    if (options.has("m")) writeTrees(sources, effects, "delete");
  },
);

function withExtension(path: Text, extension: string): Text {
  const text = known(path);
  const name = text?.slice(text.lastIndexOf("/") + 1);
  return name === undefined || name.includes(".") ? path : concat(path, literal(extension));
}

interface Squeezer {
  readonly suffixes: readonly string[];
  /** Unpacks unless told otherwise. */
  readonly unpacks?: boolean;
  /** Keeps the file it is given. */
  readonly keeps?: boolean;
}

/** Packs, unpacks, tests or lists: the last of these counts. */
const modes: ReadonlySet<string> = new Set(["z", "d", "t", "l"]);

/** gzip and its kin replace each file by one with a suffix, or the other way round. */
function squeezing({ suffixes, unpacks = false, keeps = false }: Squeezer): Program {
  return reading(
    {
      values:
        "S,suffix b o,output-file,output T,threads M,memlimit output-dir-flat output-dir-mirror D filelist",
      glued: "files files0",
      flags:
        "c,stdout,to-stdout d,decompress,uncompress t,test l,list k,keep f,force r,recursive q v z,compress rm C",
    },
    (options, effects) => {
      const output = options.value("o");
      if (output !== undefined) return writeFiles([output], effects);
      const mode = options.options.findLast(({ name }) => modes.has(name))?.name ?? "";
      if (options.has("c") || mode === "t" || mode === "l") return;
      if (options.has("files", "files0", "filelist") || hasSlash(options.value("S")))
        effects.write(unknownText);
      writeTrees(options.all("output-dir-flat", "output-dir-mirror"), effects);
      const tree = options.has("r");
      const action = (keeps && !options.has("rm")) || options.has("k") ? undefined : "delete";
      for (const file of options.operands) {
        if (isDash(file)) continue;
        if (action !== undefined || tree) effects.write(file, "delete", { tree });
        if (!tree) effects.write(renamed(file, suffixes, (unpacks || options.has("d")) && !options.has("z")));
      }
    },
  );
}

function renamed(file: Text, suffixes: readonly string[], unpacks: boolean): Text {
  if (!unpacks) return concat(file, literal(suffixes[0] ?? ""));
  const last = file.at(-1);
  if (last?.kind !== "literal") return file;
  const suffix = suffixes.find((ending) => last.text.endsWith(ending));
  return suffix === undefined ? file : [...file.slice(0, -1), ...literal(last.text.slice(0, -suffix.length))];
}

function cut(word: Text, length: number): Text {
  const [first, ...rest] = word;
  return first?.kind === "literal" ? [...literal(first.text.slice(length)), ...rest] : word;
}

const unrar: Program = (call, effects) => {
  const [command, ...rest] = call.args;
  const operands = rest.filter((word) => !knownStart(word).startsWith("-"));
  if (!/^[xe]$/.test(known(command ?? []) ?? "")) return;
  const last = operands.at(-1);
  effects.opaque(unpacks);
  writeTrees([last !== undefined && knownStart(last).endsWith("/") ? last : literal(".")], effects);
};

const readCpio = optionReader({
  values: "F,file I O,E D,directory H,format C M R,owner pattern-file",
  flags: "i,extract o,create p,pass-through t,list d,make-directories u m v l,link",
});
const cpio: Program = (call, effects) => {
  const options = readCpio(call.args);
  const folder = options.value("D");
  const inner = folder === undefined ? effects : effects.within(folder);
  if (options.has("t")) return;
  if (options.has("o")) return writeFiles(options.all("O", "F"), effects);
  if (options.has("p")) return writeTrees(options.operands.slice(0, 1), inner);
  if (!options.has("i")) return;
  inner.opaque(unpacks);
  writeTrees([literal(".")], inner);
};

const readAr = optionReader({ values: "output target plugin record-libdeps l", flags: "thin M" });

/** `ar rcs ARCHIVE FILE…`, `ar x ARCHIVE`; the letters may be spread over several words. */
const ar: Program = (call, effects) => {
  const options = readAr(call.args);
  const dashed = options.options.map(({ name }) => (name.length === 1 ? name : "")).join("");
  const isDashed = /[dmpqrstxM]/.test(dashed);
  const letters = isDashed ? dashed : dashed + (known(options.operands[0] ?? []) ?? "rx");
  // A member that others are put next to, or a count, comes before the archive.
  const before = (isDashed ? 0 : 1) + (/[abi]/.test(letters) ? 1 : 0) + (letters.includes("N") ? 1 : 0);
  if (letters.includes("M")) effects.write(unknownText);
  if (letters.includes("x")) writeTrees([options.value("output") ?? literal(".")], effects);
  if (/[rqdms]/.test(letters)) effects.write(options.operands[before] ?? unknownText);
};

/** `jar cf ARCHIVE …`, `jar xf ARCHIVE`. */
const jar: Program = (call, effects) => {
  const [operation, ...rest] = call.args;
  const letters = (known(operation ?? []) ?? "").replace(/^-+/, "");
  if (/^(?:x|extract)/.test(letters)) writeTrees([literal(".")], effects);
  else if (/^(?:[cu]|create|update)/.test(letters)) writeJar(rest, effects);
};

function writeJar(words: readonly Text[], effects: Effects): void {
  const at = words.findIndex((word) => /^(?:-f|--file)$/.test(known(word) ?? ""));
  const glued = words.find((word) => knownStart(word).startsWith("--file="));
  effects.write(glued !== undefined ? cut(glued, 7) : (words[at + 1] ?? anyName));
}

export const archives = new Map<string, Program>([
  ...named("tar bsdtar", tar),
  ["zip", zip],
  ...named("gzip pigz", squeezing({ suffixes: [".gz", ".tgz"] })),
  ...named("gunzip unpigz", squeezing({ suffixes: [".gz", ".tgz", ".Z"], unpacks: true })),
  ...named("bzip2 pbzip2 lbzip2", squeezing({ suffixes: [".bz2"] })),
  ["bunzip2", squeezing({ suffixes: [".bz2"], unpacks: true })],
  ...named("xz pixz", squeezing({ suffixes: [".xz"] })),
  ["unxz", squeezing({ suffixes: [".xz"], unpacks: true })],
  ["lzma", squeezing({ suffixes: [".lzma"] })],
  ["unlzma", squeezing({ suffixes: [".lzma"], unpacks: true })],
  ["lzip", squeezing({ suffixes: [".lz"] })],
  ...named("zstd zstdmt pzstd", squeezing({ suffixes: [".zst"], keeps: true })),
  ["unzstd", squeezing({ suffixes: [".zst"], unpacks: true, keeps: true })],
  ["lz4", squeezing({ suffixes: [".lz4"], keeps: true })],
  ["unlz4", squeezing({ suffixes: [".lz4"], unpacks: true, keeps: true })],
  ["brotli", squeezing({ suffixes: [".br"], keeps: true })],
  ["compress", squeezing({ suffixes: [".Z"] })],
  ["uncompress", squeezing({ suffixes: [".Z"], unpacks: true })],
  ...named("unrar rar", unrar),
  ["cpio", cpio],
  ...named("ar gcc-ar llvm-ar", ar),
  ["jar", jar],
]);
