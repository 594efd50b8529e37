import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join, relative, resolve, sep } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { CargoLines } from "../core/proof/cargo-lines.ts";
import { readGoReport } from "../core/proof/go-report.ts";
import { type Inventory, InventoryRecord } from "../core/proof/inventory.ts";
import { readReports } from "../core/proof/read-reports.ts";
import { installFolder } from "../workspace/install-folder.ts";
import { removeFolder } from "../workspace/remove-folder.ts";

/** Changes with what the reporters report: a pass that an older one saw is run again. */
export const reportersVersion = 1;

const reportBytesMax = 256 * 1024 * 1024;

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
      const added = variables(folder, given);
      const before = Object.entries(added).map(([name, is]) => [name, { is, was: given[name] ?? null }]);
      writeFileSync(join(folder, "environment.json"), JSON.stringify(Object.fromEntries(before)));
      writeFileSync(join(folder, "environment.sh"), Object.keys(added).map(restoring(given)).join(""));
      return added;
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

function variables(folder: string, given: Readonly<Record<string, string>>): Record<string, string> {
  const quoted = `"${join(folder, "node.cjs").replace(/["\\]/g, "\\$&")}"`;
  const added: Record<string, string> = {
    NODE_OPTIONS: [`--require ${quoted}`, given.NODE_OPTIONS].filter(Boolean).join(" "),
  };
  if (!folder.includes(delimiter))
    added.PYTHONPATH = [join(folder, "python"), given.PYTHONPATH].filter(Boolean).join(delimiter);
  // Go splits the words of this one again.
  if (!/[\s'"]/.test(folder) && !/(?:^|\s)['"]?--?exec\b/.test(given.GOFLAGS ?? ""))
    added.GOFLAGS = [given.GOFLAGS, `-exec=${join(folder, "go-exec.sh")}`].filter(Boolean).join(" ");
  return added;
}

function restoring(given: Readonly<Record<string, string>>): (name: string) => string {
  return (name) => {
    const value = given[name];
    return value === undefined
      ? `unset ${name}\n`
      : `${name}='${value.replaceAll("'", "'\\''")}'\nexport ${name}\n`;
  };
}

function readAll(folder: string, ending: string, record: InventoryRecord): readonly string[] {
  let left = reportBytesMax;
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .flatMap(({ name }) => {
      left -= statSync(join(folder, name)).size;
      if (left >= 0) return [readFileSync(join(folder, name), "utf8")];
      record.cut("the reports are too long to be read");
      return [];
    });
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
