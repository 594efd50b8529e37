import type { LockstepCommand } from "../help/lockstep-command.ts";
import { keepHeapSmall } from "../hook/keep-heap-small.ts";
import { dryRun, endsWith, json } from "./options.ts";

export function addMachineCommands(program: LockstepCommand): void {
  addWorker(program);
  addMachine(program);
  addLedger(program);
}

function addWorker(program: LockstepCommand): void {
  program
    .command("worker")
    .summary("do tasks of other machines' runs, in a separate clone")
    .description(
      "offer this machine to the runs of all machines that share the ledger: it clones the repository for itself, does their tasks, and takes over a run whose machine is gone. Ctrl-C once: no new work; twice: stop the agents and push what they have. See docs/machines.md",
    )
    .option("--repo <url>", "the repository (default: the remote of the clone in this folder)")
    .option("--slots <n>", "maximum number of agents at the same time (default: limits.max_parallel)")
    .option("--label <label...>", "labels of this machine, for tasks and agents that need one")
    .option("--unsandboxed", "also run agents without a sandbox: they can read everything that you can")
    .option(...json)
    .option("--json-lines", "print every event as a line of JSON, and at the end the document of --json")
    .example("lockstep worker", "in a clone of the project: offer this machine to everyone's runs")
    .example(
      "lockstep worker --repo git@host:team/shop.git --slots 8 --label gpu",
      "on a machine without a clone",
    )
    .hook("preAction", keepHeapSmall)
    .action(async (options) => endsWith((await import("../run/worker.ts")).workerCommand(options)));
}

function addLedger(program: LockstepCommand): void {
  const load = () => import("./manage-ledger.ts");
  const ledger = program
    .command("ledger")
    .description("where tasks, locks and events are kept; see docs/machines.md")
    .example("lockstep ledger status", "which ledger, how big, and which machines use it")
    .example("lockstep ledger migrate", "create the ledger in a new database");
  ledger
    .command("status")
    .description("show where the ledger is, its size, and its machines")
    .option(...json)
    .example("lockstep ledger status", "which ledger is this?")
    .example("lockstep ledger status --json", "for other programs")
    .action(async (options) => endsWith((await load()).ledgerStatusCommand(options)));
  ledger
    .command("migrate")
    .summary("create or upgrade the ledger in the configured database")
    .description(
      "create or upgrade the ledger in the configured database, as its owner, and give machines their rights",
    )
    .option("--machine <role>", "the database role of the machines", "lockstep_machine")
    .option(...json)
    .example("lockstep ledger migrate", "after an update of Lockstep, or in a new database")
    .example("lockstep ledger migrate --machine team", "machines log in as `team`")
    .action(async (options) => endsWith((await load()).ledgerMigrateCommand(options)));
  ledger
    .command("move")
    .summary("copy the ledger into a database, or back into a file")
    .description(
      "copy the ledger into an empty database or back into a file, and compare both event by event",
    )
    .requiredOption("--to <where>", "the URL of a database with an empty ledger, or `sqlite`")
    .option(...json)
    .example("lockstep ledger move --to postgres://owner@db/lockstep", "share the ledger with others")
    .example("lockstep ledger move --to sqlite", "back to one machine")
    .action(async (options) => endsWith((await load()).ledgerMoveCommand(options)));
  ledger
    .command("archive")
    .summary("move finished sessions to a file")
    .description("move the documents of finished sessions from the shared ledger to a file; events stay")
    .requiredOption("--before <date>", "only sessions that ended before it")
    .requiredOption("--to <file>", "the file, which must not exist")
    .option(...json)
    .example("lockstep ledger archive --before 2026-01-01 --to 2025.jsonl", "last year's sessions")
    .example("lockstep ledger archive --before 2026-01-01 --to 2025.jsonl --json", "for other programs")
    .action(async (options) => endsWith((await load()).ledgerArchiveCommand(options)));
  ledger
    .command("accept-loss")
    .summary("continue with a ledger that was restored from an older copy")
    .description(
      "continue with a ledger that was restored from an older copy, even though changes are missing",
    )
    .option(...json)
    .example("lockstep ledger accept-loss", "after a restored backup")
    .example("lockstep ledger accept-loss --json", "for other programs")
    .action(async (options) => endsWith((await load()).ledgerAcceptLossCommand(options)));
}

function addMachine(program: LockstepCommand): void {
  const load = () => import("./machine.ts");
  const machine = program
    .command("machine")
    .description("the machines that share the ledger; see docs/machines.md")
    .example("lockstep machine list", "what each offers and does")
    .example("lockstep machine drain build-2", "before it is switched off");
  machine
    .command("list")
    .description("show the slots, labels and tasks of each machine")
    .option(...json)
    .example("lockstep machine list", "who is at work, and what each one lacks")
    .example("lockstep machine list --json", "for other programs")
    .action(async (options) => endsWith((await load()).machineListCommand(options)));
  machine
    .command("drain")
    .argument("<machine>", "its name, or its id")
    .summary("let a machine finish its tasks and start nothing more")
    .description("let a machine finish its tasks and start nothing more; its worker ends then")
    .option(...json)
    .example("lockstep machine drain build-2", "before it is switched off")
    .example("lockstep machine drain 3f9c --json", "by the beginning of its id, for other programs")
    .action(async (name, options) => endsWith((await load()).machineDrainCommand(name, options)));
  machine
    .command("forget")
    .argument("<machine>", "its name, or its id")
    .summary("remove a machine that is gone from the lists")
    .description("remove a machine that is gone from the lists; if it comes back, it is listed again")
    .option(...dryRun)
    .option(...json)
    .example("lockstep machine forget old-laptop", "it will not come back")
    .example("lockstep machine forget old-laptop --dry-run", "may it be forgotten?")
    .action(async (name, options) => endsWith((await load()).machineForgetCommand(name, options)));
}
