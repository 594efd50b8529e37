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
  statSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join, relative, resolve, sep } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { CargoLines } from "../core/proof/cargo-lines.ts";
import { readGoReport } from "../core/proof/go-report.ts";
import { type Inventory, InventoryRecord } from "../core/proof/inventory.ts";
import { readReports } from "../core/proof/read-reports.ts";
import { removeFolder } from "../workspace/files/remove-folder.ts";
import { installFolder } from "../workspace/process/install-folder.ts";

/** Changes with what the reporters report: a pass that an older one saw is run again. */
export const reportersVersion = 3;

const reportBytesMax = 64 * 1024 * 1024;

/** Reporters for the test runners that a check may start, whatever its command is. */
export interface Reporters extends Disposable {
  /** What a check must be able to read, and in it what it must be able to write. */
  readonly readOnly: string;
  readonly writable: string;
  /** The variables that bring the reporters into the runners, for a check with this environment. */
  env(given: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** What they reported from a checkout. */
  read(checkout: string): Inventory | null;
  /** What the check prints: some runners have no other way to report. */
  onOutput(chunk: Buffer): void;
}

/** In a folder of its own: nothing that tests do with their temporary files comes near it. */
export function placeReporters(parent: string): Reporters {
  removeFolder(parent);
  const folder = join(parent, randomBytes(8).toString("hex"));
  const out = join(folder, "out");
  mkdirSync(out, { recursive: true, mode: 0o700 });
  cpSync(join(installFolder(), "reporters"), folder, { recursive: true });
  const cargo = new CargoLines();
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
      cargo.finish(record);
      return record.inventory();
    },
    onOutput: (chunk) => cargo.add(decoder.write(chunk)),
    [Symbol.dispose]: () => removeFolder(parent),
  };
}

/** What comes before the value that a variable has. */
interface Piece {
  readonly name: string;
  readonly piece: string;
  readonly separator: string;
}

function piecesFor(folder: string, given: Readonly<Record<string, string>>): readonly Piece[] {
  const preload = join(folder, "node.cjs");
  // Old versions of Node know no quotes.
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
 * A command such as `PYTHONPATH=src python3 -m pytest` sets a variable that the reporters need. Programs of the same
 * name come first on the path and put it back; only those that there are, so that looking for one finds what is there.
 */
function placePrograms(folder: string, path: string): string | undefined {
  const place = join(folder, "programs");
  const script = join(place, "start.sh");
  if (/[\s'"\\:]/.test(place) || !canStart(script)) return undefined;
  const found = startedPrograms.filter((name) =>
    path.split(delimiter).some((one) => one !== "" && existsSync(join(one, name))),
  );
  for (const name of found) cpSync(script, join(place, name));
  return found.length === 0 ? undefined : place;
}

/** Go splits the words of the variable again; and a file system may refuse to start programs. */
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

/** `go env -w` stores flags that the variable would hide. */
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

/** For a shell. */
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

/** Code of the check can write there, so a report may be anything. */
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

/** A file elsewhere keeps its whole path. */
function pathIn(checkout: string): (file: string) => string {
  const roots = [checkout, realpathSync(checkout)];
  return (file) => {
    if (file === "") return "";
    const inside = roots
      .map((root) => relative(root, resolve(root, file)))
      .find((path) => path !== ".." && !path.startsWith(`..${sep}`));
    return (inside ?? file).replaceAll(sep, "/");
  };
}
