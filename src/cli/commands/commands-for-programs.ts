import type { LockstepCommand } from "../help/lockstep-command.ts";
import { dryRun, endsWith, epoch, json, key } from "./options.ts";

const load = () => import("./program-commands.ts");

/** Each prints one verdict as JSON; a deny exits 2. */
export function addProgramCommands(program: LockstepCommand): void {
  // Runs from its own bundle (see bin/lockstep.cjs); named here so that `--help` lists it.
  program
    .command("hook")
    .argument("<point>")
    .description("judge a hook point's payload: JSON on stdin, verdict on stdout")
    .example("lockstep hook PreWrite < payload.json", "may this write happen?")
    .example("echo '{\"locks\":[]}' | lockstep hook OnLockUpdate", "do any two locks overlap?");
  program
    .command("guard")
    .argument("<client>")
    .description("a client's hook command: payload on stdin, answer on stdout")
    .example("lockstep guard claude < payload.json", "judge one tool call of Claude Code")
    .example("lockstep guard codex < payload.json; echo $?", "exit 2 refuses the call")
    .action(async (client) => endsWith((await import("../hook/guard.ts")).guardCommand([client])));
  addAttempts(program);
  addLedgerCommands(program);
}

function addAttempts(program: LockstepCommand): void {
  program
    .command("dispatch")
    .argument("[file]", "the assignment packet (default: stdin)")
    .description("start a task if its assignment is valid and its locks are free")
    .option("--runner <pid>", "the process that runs the agent; the attempt ends when it dies")
    .option(...key)
    .option(...json)
    .example("lockstep dispatch packet.json", "an assignment from a file")
    .example(`echo '{"task_id":"T-1"}' | lockstep dispatch`, "a task that was added by hand")
    .action(async (file, options) => endsWith((await load()).dispatchCommand(file, options)));
  program
    .command("heartbeat")
    .argument("<task>")
    .description("renew the lease of a task")
    .option(...epoch)
    .option("--tokens <n>", "tokens spent since the last one")
    .option(...key)
    .option(...json)
    .example("lockstep heartbeat T-1 --epoch 3", "the agent of attempt 3 is still at work")
    .example("lockstep heartbeat T-1 --epoch 3 --tokens 1200", "and has spent 1200 tokens since")
    .action(async (task, options) => endsWith((await load()).heartbeatCommand(task, options)));
  program
    .command("submit")
    .argument("<task>")
    .argument("[file]", "a result, agent output, error report or escalation (default: stdin)")
    .summary("hand in a result; the task goes to review")
    .description("hand in a result, or your own work on a task that you took over; the task goes to review")
    .option(...epoch)
    .option(...key)
    .option(...json)
    .example("lockstep submit T-1 result.json --epoch 3", "a result from a file")
    .example("lockstep submit T-1", "a person hands back a task that they took over")
    .action(async (task, file, options) => endsWith((await load()).submitCommand(task, file, options)));
  program
    .command("complete")
    .argument("<task>")
    .argument("[file]", "the acceptance checks (default: stdin, or what the result reported)")
    .summary("mark a task as merged, for callers that merge themselves")
    .description(
      "judge the acceptance checks and mark the task as merged, for callers that do their own merging",
    )
    .option("--commit <sha>", "the commit whose tree `cmd:` criteria are run on")
    .option(...epoch)
    .option(...key)
    .option(...json)
    .example("lockstep complete T-1 --commit 3f2a91c", "run the `cmd:` criteria on the tree of this commit")
    .example("lockstep complete T-1 checks.json --epoch 3", "with the results of the checks from a file")
    .action(async (task, file, options) => endsWith((await load()).completeCommand(task, file, options)));
  program
    .command("release")
    .argument("<task>")
    .description("release the locks of a task")
    .option(...epoch)
    .option(...dryRun)
    .option(...key)
    .option(...json)
    .example("lockstep release T-1 --dry-run", "see which locks it holds")
    .example("lockstep release T-1", "release them")
    .action(async (task, options) => endsWith((await load()).releaseCommand(task, options)));
}

function addLedgerCommands(program: LockstepCommand): void {
  const locks = program
    .command("lock")
    .description("the lock table")
    .example("lockstep lock list", "which task holds what")
    .example("lockstep lock list --all --json", "released locks too, as JSON");
  locks
    .command("list")
    .description("list which task holds what")
    .option("--all", "released locks too")
    .option(...json)
    .example("lockstep lock list", "the active locks")
    .example("lockstep lock list --json", "for other programs")
    .action(async (options) => endsWith((await import("./ledger-commands.ts")).lockListCommand(options)));
  program
    .command("watchdog")
    .description("take back the locks of tasks that have been silent for too long")
    .option("--now <iso>", "as if it were that time")
    .option("--every <seconds>", "repeat at this interval until stopped")
    .option(...json)
    .example("lockstep watchdog", "look once; exit 2 if a task timed out")
    .example("lockstep watchdog --every 30", "keep looking")
    .action(async (options) => endsWith((await import("./watchdog.ts")).watchdogCommand(options)));
  program
    .command("reconcile")
    .summary("check that tasks, locks and events agree")
    .description("check that tasks, locks and events agree; exit 1 if they do not")
    .option("--accept-loss", "continue with a ledger that was rolled back, cut or deleted")
    .option(...json)
    .example("lockstep reconcile", "after a crash, or after a restored backup")
    .example("lockstep reconcile --accept-loss", "continue even though events are missing")
    .action(async (options) => endsWith((await import("./ledger-commands.ts")).reconcileCommand(options)));
  program
    .command("schema")
    .argument("[schema]", "a schema's name; without it, the list")
    .summary("print the JSON Schemas of payloads, results and files")
    .description(
      "print the JSON Schemas of payloads, results, verdicts, operations, plans and the configuration",
    )
    .option("--json", "the list as one JSON document")
    .example("lockstep schema", "the names of all schemas")
    .example(
      "lockstep schema config > config.schema.json",
      "the schema of .lockstep/config.yaml, for an editor",
    )
    .action(async (name: string | undefined, options) => {
      process.exitCode = (await import("./schema.ts")).schemaCommand(name, options);
    });
}
