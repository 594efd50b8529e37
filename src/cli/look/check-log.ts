import type { Task } from "../../core/tasks/task.ts";
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
import { table } from "../output/table.ts";

interface Found {
  readonly task: Task | undefined;
  readonly proof: RecordedProof | undefined;
}

/** A task and its last proof, or the proof of a branch: a refused landing has no task. */
export async function findProof({ engine }: Opened, folder: string, name: string): Promise<Found> {
  const ofBranch = readProof(folder, name);
  try {
    const task = await findTask(engine, name);
    return { task, proof: readProof(folder, task.key) ?? ofBranch };
  } catch (error) {
    if (ofBranch === undefined) throw error;
    return { task: undefined, proof: ofBranch };
  }
}

/** Prints the whole output of one check. */
export function showCheck(
  {
    name,
    wanted,
    json,
  }: { readonly name: string; readonly wanted: string; readonly json?: boolean | undefined },
  proof: RecordedProof | undefined,
): 0 {
  const number = /^\d{1,6}$/.test(wanted) ? Number(wanted) : 0;
  const { checks = [], at } = proof ?? {};
  const check = checks[number - 1];
  if (checks.length === 0)
    throw new CommandFault("R-IN-001", `there is no recorded check of \`${name}\`: none has run`);
  if (check === undefined)
    throw new CommandFault(
      "R-IN-001",
      `\`${name}\` has no check \`${wanted}\`: ${checks.length === 1 ? "it has one, --check 1" : `its checks are numbered from 1 to ${checks.length}`}`,
    );
  const output = outputFor(check, number);
  const document = { name, at, check: number, ...check, output };
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
export function checksTable({ checks }: RecordedProof): string {
  const rows = checks.map(({ command, on = "", outcome, log, log_on }, at) => {
    const kept = log === null ? "" : readOutput(log) === undefined ? "no longer kept" : log;
    return [`${at + 1}`, command, on, outcome, log_on === undefined ? kept : `failed on the base: ${kept}`];
  });
  return table(["CHECK", "COMMAND", "ON", "OUTCOME", "OUTPUT"], rows);
}
