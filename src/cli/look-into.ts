import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { branchOf, refsOf } from "../core/names/ref-names.ts";
import type { Task } from "../core/tasks/task.ts";
import type { Engine } from "../engine/engine.ts";
import { isTaken } from "../engine/take-task.ts";
import { hasTaskLog, readTaskLogFrom } from "../run/conduct/task-logs.ts";
import { type Checkout, ownIndex } from "../workspace/checkouts/checkout.ts";
import { findCheckout } from "../workspace/checkouts/find-checkout.ts";
import { snapshotTree } from "../workspace/checkouts/snapshot-tree.ts";
import { readRef } from "../workspace/git/refs.ts";
import { openStateFolder } from "../workspace/state-folder.ts";
import { CommandFault } from "./command-fault.ts";
import { writeAll } from "./descriptor.ts";
import { findTask } from "./find-task.ts";
import { type Opened, openEngine } from "./open-engine.ts";
import { printable } from "./table.ts";
import { faultVerdict, tellRefusal } from "./verdicts.ts";

const pollMs = 200;
const newline = 0x0a;

interface LogOptions {
  readonly follow?: boolean;
  readonly json?: boolean;
}

export function logCommand(name: string, { follow = false, json }: LogOptions): Promise<number> {
  return looking({ name, json }, async ({ engine, project }, task) => {
    const folder = openStateFolder(project);
    if (!hasTaskLog(folder, task.key))
      throw new CommandFault("R-IN-001", `task \`${task.key}\` has no log: no \`run\` has started it`);
    let at = 0;
    const lines: string[] = [];
    const show = () => {
      const bytes = readTaskLogFrom(folder, task.key, at);
      const end = bytes.lastIndexOf(newline) + 1;
      const whole = bytes.toString("utf8", 0, end).split("\n");
      at += end;
      if (json === true) lines.push(...whole.slice(0, -1));
      else writeAll(1, whole.map(printable).join("\n"));
    };
    show();
    while (follow && (await isUnderWay(engine, task))) {
      await sleep(pollMs);
      show();
    }
    // What became of it is written a moment after it is so.
    if (follow) await sleep(pollMs);
    if (follow) show();
    if (json === true) writeAll(1, `${JSON.stringify({ task: task.key, lines }, null, 2)}\n`);
    return 0;
  });
}

/** Whether anybody may still add to the log of this attempt. */
async function isUnderWay({ ledger, isAlive }: Engine, { key, attempts }: Task): Promise<boolean> {
  const task = await ledger.task(key);
  const attempt = await ledger.attempt(key);
  if (task === undefined || attempt === undefined || task.attempts !== attempts) return false;
  const works = task.state === "IN_PROGRESS" || task.state === "REVIEW";
  return works && !isTaken(task, attempt) && (attempt.runner === null || isAlive(attempt.runner));
}

/** Git shows it, with its own pager and colours. */
export function diffCommand(name: string): Promise<number> {
  return looking({ name }, async ({ project }, task) => {
    if (task.attempts === 0 && task.commit === null) return noChanges(name);
    const root = project.place.realRoot ?? project.place.root;
    const range = await rangeOf(task, { root, commonFolder: project.commonFolder });
    const diff = (...words: string[]) =>
      spawnSync("git", ["-C", root, "diff", ...words, ...range, "--"], {
        stdio: words.length === 0 ? "inherit" : "ignore",
      }).status;
    const differs = diff("--quiet");
    if (differs === 0) return noChanges(name);
    if (differs === 1 && diff() === 0) return 0;
    throw new CommandFault("E-GIT", `there is no work of task \`${task.key}\` to show`);
  });
}

/** On stderr: nothing at all is the diff of no changes. */
function noChanges(name: string): 0 {
  writeAll(2, `task ${name}: no changes so far\n`);
  return 0;
}

/** Merged work, or what was handed in, or what the checkout holds by now. */
async function rangeOf(
  { id, session, attempts, state, commit }: Task,
  { root, commonFolder }: { readonly root: string; readonly commonFolder: string | undefined },
): Promise<readonly string[]> {
  if (commit !== null) return [`${commit}^1...${commit}`];
  const name = { session, task: id, attempt: attempts };
  const handedIn = state === "IN_PROGRESS" ? undefined : await readRef(root, refsOf(name).work);
  if (handedIn !== undefined) return [`HEAD...${handedIn}`];
  const checkout = commonFolder === undefined ? undefined : findCheckout(commonFolder, name);
  return checkout === undefined ? [`HEAD...${branchOf(id)}`] : [checkout.base, await lookAt(checkout)];
}

/** The checkout's tree as it is now, read with an index that nobody else uses. */
async function lookAt(checkout: Checkout): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-diff-"));
  try {
    const index = join(folder, "index");
    if (existsSync(ownIndex(checkout))) copyFileSync(ownIndex(checkout), index);
    return (await snapshotTree(checkout, { parent: checkout.base, index })).tree;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function looking(
  { name, json }: { readonly name: string; readonly json?: boolean | undefined },
  show: (opened: Opened, task: Task) => Promise<number>,
): Promise<number> {
  try {
    using opened = await openEngine();
    return await show(opened, await findTask(opened.engine, name));
  } catch (error) {
    return tellRefusal(faultVerdict(error), json);
  }
}
