import { spawn } from "node:child_process";
import { constants } from "node:os";
import { readGuardFacts } from "../../engine/views/guard-facts.ts";
import { openWorld } from "../../guard/answer/open-world.ts";
import { limitsOf } from "../../guard/judge/call-limits.ts";
import { ownerOfTask } from "../../guard/judge/finish-calls.ts";
import { treeOf } from "../../guard/judge/watched-changes.ts";
import { currentFolder } from "../../workspace/files/find-project.ts";
import { findOnlyTask } from "../open/find-task.ts";
import { openEngine } from "../open/open-engine.ts";
import { CommandFault } from "../output/command-fault.ts";
import { faultVerdict, tellRefusal } from "../output/verdicts.ts";

/** `lockstep exec TASK -- COMMAND…`: runs a command with the rights of the task's agent: only its lock is writable. */
export async function execCommand(name: string, words: readonly string[]): Promise<number> {
  try {
    return await run([...(await startOf(name)), ...words]);
  } catch (error) {
    return tellRefusal(faultVerdict(error), false);
  }
}

/** The command prefix that starts a program in the task's sandbox. */
async function startOf(name: string): Promise<readonly string[]> {
  using opened = await openEngine();
  const { engine, project } = opened;
  const task = await findOnlyTask(engine, name);
  const facts = await readGuardFacts(engine);
  const holder = facts.holders.find(({ key }) => key === task.key);
  if (holder === undefined)
    throw new CommandFault(
      "R-IN-001",
      `task \`${task.key}\` holds no lock: it is ${task.state}; \`lockstep status\` shows which tasks do`,
    );
  const world = openWorld({
    project,
    environment: {},
    store: async () => undefined,
    isRunAlive: () => false,
  });
  const call = { folder: currentFolder() };
  const limits = limitsOf(holder, { call, world, facts, settings: await world.settings() });
  const sandbox = await world.sandbox?.();
  if (sandbox === undefined) throw new CommandFault("R-IN-001", "this is not a git repository");
  const prepared = await sandbox.prepare({
    tree: treeOf(call, world),
    limits,
    owner: ownerOfTask(holder),
  });
  if ("missing" in prepared)
    throw new CommandFault("R-IN-001", `there is no sandbox here: ${prepared.missing}`);
  return ["sh", "-c", `exec ${prepared.prefixes.sandbox} "$@"`, "sh"];
}

/** Runs in the foreground and returns the command's exit code. */
function run([program = "", ...words]: readonly string[]): Promise<number> {
  const child = spawn(program, words, { stdio: "inherit" });
  // The terminal sends these signals to both processes; the command decides whether to end.
  for (const signal of ["SIGINT", "SIGQUIT"] as const) process.on(signal, () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
  });
}
