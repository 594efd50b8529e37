import type { Command } from "commander";
import { dryRun, endsWith, epoch, json, key } from "./options.ts";

const load = () => import("./program-commands.ts");

/** Each prints one verdict as JSON; a deny exits 2. */
export function addProgramCommands(program: Command): void {
  // Runs from its own bundle (see bin/lockstep.cjs); named here so that `--help` lists it.
  program
    .command("hook")
    .argument("<point>")
    .description("one of the eight hook points: JSON on stdin, a verdict on stdout");
  program
    .command("guard")
    .argument("<client>")
    .description("a client's hook command: its payload on stdin, its own answer on stdout")
    .action(async (client) => endsWith((await import("../hook/guard.ts")).guardCommand([client])));
  program
    .command("dispatch")
    .argument("[file]", "the assignment packet (default: stdin)")
    .description("PreDispatch against the ledger: on allow the task runs and its locks are held")
    .option("--runner <pid>", "the process that runs the agent: its death ends the attempt at once")
    .option(...key)
    .option(...json)
    .action(async (file, options) => endsWith((await load()).dispatchCommand(file, options)));
  program
    .command("claim")
    .argument("<task>")
    .description("say which task you work on: the guard, seeing this call, binds it to you")
    .option(...json)
    .action(async (task) => endsWith((await import("./claim.ts")).claimCommand(task)));
  program
    .command("heartbeat")
    .argument("<task>")
    .description("renew the lease")
    .option(...epoch)
    .option("--tokens <n>", "tokens spent since the last one")
    .option(...key)
    .option(...json)
    .action(async (task, options) => endsWith((await load()).heartbeatCommand(task, options)));
  program
    .command("submit")
    .argument("<task>")
    .argument("[file]", "a result, agent output, error report or escalation (default: stdin)")
    .description("hand in a result, or what you made of a task that you took over: then review")
    .option(...epoch)
    .option(...key)
    .option(...json)
    .action(async (task, file, options) => endsWith((await load()).submitCommand(task, file, options)));
  program
    .command("complete")
    .argument("<task>")
    .argument("[file]", "the acceptance checks (default: stdin, or what the result reported)")
    .description("PreComplete, then merged, for callers that do their own merging")
    .option("--commit <sha>", "the commit whose tree `cmd:` criteria are run on")
    .option(...epoch)
    .option(...key)
    .option(...json)
    .action(async (task, file, options) => endsWith((await load()).completeCommand(task, file, options)));
  program
    .command("release")
    .argument("<task>")
    .description("give a task's locks back")
    .option(...epoch)
    .option(...dryRun)
    .option(...key)
    .option(...json)
    .action(async (task, options) => endsWith((await load()).releaseCommand(task, options)));
  addLedgerCommands(program);
  addAgentSession(program);
}

function addLedgerCommands(program: Command): void {
  const locks = program.command("lock").description("the lock table");
  locks
    .command("list")
    .description("who holds what")
    .option("--all", "released ones too")
    .option(...json)
    .action(async (options) => endsWith((await import("./ledger-commands.ts")).lockListCommand(options)));
  program
    .command("watchdog")
    .description("one WatchdogTick over the ledger, applied")
    .option("--now <iso>", "as if it were that time")
    .option("--every <seconds>", "go on until stopped, one tick every so often")
    .option(...json)
    .action(async (options) => endsWith((await import("./watchdog.ts")).watchdogCommand(options)));
  program
    .command("reconcile")
    .description("do tasks, locks and events tell the same story? exit 1 if not")
    .option("--accept-loss", "go on with a ledger that was rolled back, cut or deleted")
    .option(...json)
    .action(async (options) => endsWith((await import("./ledger-commands.ts")).reconcileCommand(options)));
}

function addAgentSession(program: Command): void {
  const session = program
    .command("agent-session")
    .description("an orchestrating agent's session: what it read, and how it kept to the rules");
  const load = () => import("./agent-session.ts");
  session
    .command("init")
    .argument("<role>", "`orchestrator`, or any other for an agent that does the work")
    .description("begin a session, or go on with the one that is there")
    .option(...json)
    .action(async (role, options) => endsWith((await load()).initCommand(role, options)));
  session
    .command("reset")
    .description("count reads anew, as after a spawn")
    .option(...json)
    .action(async (options) => endsWith((await load()).resetCommand(options)));
  session
    .command("summary")
    .description("its compliance so far")
    .option(...json)
    .action(async (options) => endsWith((await load()).summaryCommand(options)));
  session
    .command("clear")
    .description("end the session")
    .option("--archive", "with a report, and its state beside it")
    .option(...dryRun)
    .option(...json)
    .action(async (options) => endsWith((await load()).clearCommand(options)));
  session
    .command("validate")
    .description("the gate: exit 0 from a score of 80 up, else 2")
    .requiredOption("--session-id <id>", "`sess_…`, or the client's own")
    .option(...json)
    .action(async (options) => endsWith((await load()).validateCommand(options)));
}
