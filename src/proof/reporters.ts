import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join, relative, resolve, sep } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { CargoLines } from "../core/proof/cargo-lines.ts";
import { GoLines, readGoReport } from "../core/proof/go-report.ts";
import { type Inventory, InventoryRecord } from "../core/proof/inventory.ts";
import { readReports } from "../core/proof/read-reports.ts";
import { removeFolder } from "../workspace/files/remove-folder.ts";
import { installFolder } from "../workspace/process/install-folder.ts";

/** Increased when the reporters report something else, so that older passes are not reused. */
export const reportersVersion = 4;

const reportBytesMax = 64 * 1024 * 1024;

/** Reporters for the test runners that a check may start, independent of its command. */
export interface Reporters extends Disposable {
  /** The folder that a check must be able to read. `writable` is the part that it must be able to write. */
  readonly readOnly: string;
  readonly writable: string;
  /** The variables that load the reporters into the runners, for a check with this environment. */
  env(given: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** The reported tests, with paths relative to the checkout. */
  read(checkout: string): Inventory | null;
  /** Receives the check's output, from which the tests of some runners are read. */
  onOutput(chunk: Buffer): void;
}

/**
 * Copies the reporters to a folder of their own, apart from the tests' temporary files. `isProtected`: no check can write
 * the copy, so this process uses it again for its next checks there.
 */
export function placeReporters(parent: string, { isProtected = false } = {}): Reporters {
  const kept = isProtected ? protectedCopies.get(parent) : undefined;
  const folder = kept !== undefined && existsSync(kept) ? kept : copyReporters(parent);
  if (isProtected) protectedCopies.set(parent, folder);
  const out = join(folder, "out");
  removeFolder(out);
  mkdirSync(out, { mode: 0o700 });
  const printed = [new CargoLines(), new GoLines()];
  const decoder = new StringDecoder("utf8");
  return {
    readOnly: folder,
    writable: out,
    env(given) {
      const pieces = piecesFor(folder, given);
      writeFileSync(join(folder, "environment.json"), JSON.stringify(pieces));
      writeFileSync(join(folder, "environment.sh"), pieces.map(takingOut).join(""));
      return Object.fromEntries(
        pieces.map(({ name, piece, separator }) => [
          name,
          given[name] ? piece + separator + given[name] : piece,
        ]),
      );
    },
    read(checkout) {
      const record = new InventoryRecord();
      const pathOf = pathIn(checkout);
      readReports(readAll(out, ".jsonl", record), pathOf, record);
      for (const report of readAll(out, ".go", record)) readGoReport(report, pathOf, record);
      for (const lines of printed) lines.finish(record);
      return record.inventory();
    },
    onOutput(chunk) {
      const text = decoder.write(chunk);
      for (const lines of printed) lines.add(text);
    },
    [Symbol.dispose]: () => removeFolder(isProtected ? out : parent),
  };
}

/** By the folder above them. Their names are random, so a copy that another process put there instead is not used. */
const protectedCopies = new Map<string, string>();

function copyReporters(parent: string): string {
  removeFolder(parent);
  const folder = join(parent, randomBytes(8).toString("hex"));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  cpSync(join(installFolder(), "reporters"), folder, { recursive: true });
  return folder;
}

/** Text to put before the value of a variable. */
interface Piece {
  readonly name: string;
  readonly piece: string;
  readonly separator: string;
}

function piecesFor(folder: string, given: Readonly<Record<string, string>>): readonly Piece[] {
  const preload = join(folder, "node.cjs");
  // Quoted only if necessary: old versions of Node do not support quotes here.
  const word = /[\s"\\]/.test(preload) ? `"${preload.replace(/["\\]/g, "\\$&")}"` : preload;
  const pieces: Piece[] = [{ name: "NODE_OPTIONS", piece: `--require ${word}`, separator: " " }];
  if (!folder.includes(delimiter))
    pieces.push({ name: "PYTHONPATH", piece: join(folder, "python"), separator: delimiter });
  const programs = placePrograms(folder, given.PATH ?? "");
  if (programs !== undefined && given.PATH)
    pieces.push({ name: "PATH", piece: programs, separator: delimiter });
  const start = join(folder, "go-exec.sh");
  if (canStart(start) && !/\bexec\b/.test(given.GOFLAGS ?? "") && !hasStoredFlags(given))
    pieces.push({ name: "GOFLAGS", piece: `-exec=${start}`, separator: " " });
  return pieces;
}

const startedPrograms = ["node", "python", "python3", "pytest"];

/**
 * A command such as `PYTHONPATH=src python3 -m pytest` overwrites a variable that the reporters need. Wrappers with the
 * programs' names come first on PATH and restore it. Only programs that exist get a wrapper.
 */
function placePrograms(folder: string, path: string): string | undefined {
  const place = join(folder, "programs");
  const script = join(place, "start.sh");
  if (/[\s'"\\:]/.test(place) || !canStart(script)) return undefined;
  const folders = path.split(delimiter).filter((one) => one !== "");
  let isNeeded = false;
  for (const name of startedPrograms) {
    const isFound = folders.some((one) => existsSync(join(one, name)));
    const isPlaced = existsSync(join(place, name));
    if (isFound && !isPlaced) cpSync(script, join(place, name));
    if (!isFound && isPlaced) rmSync(join(place, name));
    isNeeded ||= isFound;
  }
  return isNeeded ? place : undefined;
}

/** False if Go would split the path at blanks or quotes, or if the file system does not allow to run programs. */
function canStart(script: string): boolean {
  if (/[\s'"]/.test(script)) return false;
  try {
    chmodSync(script, 0o700);
    accessSync(script, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether `go env -w` has stored flags, which the variable would replace. */
function hasStoredFlags({
  GOFLAGS,
  GOENV,
  XDG_CONFIG_HOME,
  HOME = "",
}: Readonly<Record<string, string>>): boolean {
  if (GOFLAGS !== undefined) return false;
  const file = GOENV || join(XDG_CONFIG_HOME || join(HOME, ".config"), "go", "env");
  return existsSync(file) && readFileSync(file, "utf8").includes("GOFLAGS=");
}

/** Shell code that removes the text from the variable again. */
function takingOut({ name, piece, separator }: Piece): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const without = (text: string) =>
    `*${quoted(text)}*) ${name}=\${${name}%%${quoted(text)}*}\${${name}#*${quoted(text)}} ;;\n`;
  const cases = [
    `${quoted(piece)}) unset ${name} ;;\n`,
    without(piece + separator),
    without(separator + piece),
  ];
  return `case \${${name}-} in\n${cases.join("")}esac\n`;
}

/** Reads reports defensively, because the code under test can write to this folder. */
function readAll(folder: string, ending: string, record: InventoryRecord): readonly string[] {
  let left = reportBytesMax;
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
      .map(({ name }) => {
        left -= statSync(join(folder, name)).size;
        if (left < 0) throw new Error("the reports are too long");
        return readFileSync(join(folder, name), "utf8");
      });
  } catch (error) {
    record.cut(`the reports cannot be read: ${(error as Error).message}`);
    return [];
  }
}

/** Paths relative to the checkout; files elsewhere keep their absolute path. */
function pathIn(checkout: string): (file: string) => string {
  const roots = [checkout, realpathSync.native(checkout)];
  return (file) => {
    if (file === "") return "";
    const inside = roots
      .map((root) => relative(root, resolve(root, file)))
      .find((path) => path !== ".." && !path.startsWith(`..${sep}`));
    return (inside ?? file).replaceAll(sep, "/");
  };
}
