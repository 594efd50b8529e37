import type { Task } from "../../core/tasks/task.ts";
import { type OutputEnd, readSharedChecks } from "../../run/landing/evidence/share-checks.ts";
import {
  type RecordedCheck,
  type RecordedProof,
  readOutput,
  readProof,
} from "../../workspace/state/check-outputs.ts";
import { findTask } from "../open/find-task.ts";
import type { Opened } from "../open/open-engine.ts";
import { safe } from "../output/check-output.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { printable, table } from "../output/table.ts";

interface FoundProof extends RecordedProof {
  /** By the paths of their files, the ends of outputs that another machine has. */
  readonly ends?: Readonly<Record<string, OutputEnd & { readonly name: string }>>;
}

interface Found {
  readonly task: Task | undefined;
  readonly proof: FoundProof | undefined;
}

/** A task and its last proof, or the proof of a branch: a refused landing has no task. */
export async function findProof({ engine }: Opened, folder: string, name: string): Promise<Found> {
  const ofBranch = readProof(folder, name);
  try {
    const task = await findTask(engine, name);
    const here = readProof(folder, task.key);
    const elsewhere = await findElsewhere(engine, { task: task.key, stateFolder: folder });
    const isNewer = elsewhere !== undefined && (here === undefined || elsewhere.at > here.at);
    return { task, proof: isNewer ? elsewhere : (here ?? ofBranch) };
  } catch (error) {
    if (ofBranch === undefined) throw error;
    return { task: undefined, proof: ofBranch };
  }
}

async function findElsewhere(
  engine: Opened["engine"],
  asked: Parameters<typeof readSharedChecks>[1],
): Promise<FoundProof | undefined> {
  const shared = await readSharedChecks(engine, asked);
  if (shared === undefined) return undefined;
  const names = new Map((await engine.ledger.machines()).map(({ id, name }) => [id, name]));
  // The files of another clone on this machine can be read as a whole.
  const isHere = ([path, end]: readonly [string, OutputEnd]) =>
    end.machine === engine.machine && readOutput(path) !== undefined;
  const ends = Object.entries(shared.ends)
    .filter((one) => !isHere(one))
    .map(([path, end]) => [path, { ...end, name: names.get(end.machine) ?? end.machine }] as const);
  return { ...shared.proof, ends: Object.fromEntries(ends) };
}

/** Prints the output of one check: all of it, or the end of one that another machine has. */
export function showCheck(
  {
    name,
    wanted,
    json,
  }: { readonly name: string; readonly wanted: string; readonly json?: boolean | undefined },
  proof: FoundProof | undefined,
): 0 {
  const number = /^\d{1,6}$/.test(wanted) ? Number(wanted) : 0;
  const { checks = [], at, ends = {} } = proof ?? {};
  const check = checks[number - 1];
  if (checks.length === 0)
    throw new CommandFault("R-IN-001", `there is no recorded check of \`${name}\`: none has run`);
  if (check === undefined)
    throw new CommandFault(
      "R-IN-001",
      `\`${name}\` has no check \`${wanted}\`: ${checks.length === 1 ? "it has one, --check 1" : `its checks are numbered from 1 to ${checks.length}`}`,
    );
  const end = ends[check.log ?? ""];
  const output = end?.text ?? outputFor(check, number);
  const left = end === undefined ? {} : { machine: end.name, left: end.from };
  const document = { name, at, check: number, ...check, output, ...left };
  if (end !== undefined && end.from > 0 && json !== true)
    writeAll(2, `${printable(leftText(check.log ?? "", end))}\n`);
  writeAll(
    1,
    json === true
      ? `${JSON.stringify(document, null, 2)}\n`
      : `${output.trimEnd().split("\n").map(safe).join("\n")}\n`,
  );
  return 0;
}

function outputFor({ command, outcome, log }: RecordedCheck, number: number): string {
  const named = `check ${number} (\`${command}\`)`;
  if (log === null)
    throw new CommandFault(
      "R-IN-001",
      outcome === "pass"
        ? `${named} passed: output is kept only for failed checks`
        : `${named} printed nothing`,
    );
  const output = readOutput(log);
  if (output !== undefined) return output;
  throw new CommandFault(
    "R-IN-001",
    `the output of ${named} is no longer kept: newer output has replaced it`,
  );
}

/** The checks of the last proof, each with the file of its output. */
export function checksTable({ checks, ends = {} }: FoundProof): string {
  const rows = checks.map(({ command, on = "", outcome, log, log_on }, at) => {
    const kept = log === null ? "" : placeOf(log, ends[log]);
    return [`${at + 1}`, command, on, outcome, log_on === undefined ? kept : `failed on the base: ${kept}`];
  });
  return table(["CHECK", "COMMAND", "ON", "OUTCOME", "OUTPUT"], rows);
}

function placeOf(log: string, end: { readonly name: string } | undefined): string {
  if (end !== undefined) return `${end.name}: ${log}`;
  return readOutput(log) === undefined ? "no longer kept" : log;
}

function leftText(file: string, { name, from }: { readonly name: string; readonly from: number }): string {
  return `lockstep: ${from} older bytes of this output are only on machine ${name}, in ${file}`;
}
