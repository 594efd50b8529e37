import type { LockstepCommand } from "../help/lockstep-command.ts";
import { dryRun, endsWith, epoch, json, key } from "./options.ts";

export function addTaskCommands(program: LockstepCommand): void {
  addLooking(program);
  addTakingOver(program);
  addTasksByHand(program);
  addSessions(program);
  addRollback(program);
}

function addLooking(program: LockstepCommand): void {
  program
    .command("log")
    .argument("<task>", "or a branch that was landed or refused")
    .summary("show what an agent said, and what its failed checks printed")
    .description(
      "show what the agent of a task said, what became of its work, and what its failed checks printed",
    )
    .option("-f, --follow", "keep printing until its attempt is over")
    .option("--check <n>", "print the whole output of check N of the last proof")
    .option(...json)
    .example("lockstep log T-001 -f", "follow an agent at work")
    .example("lockstep log fix-rounding --check 1", "the whole output of the first check of a landing")
    .action(async (task, options) =>
      endsWith((await import("../look/look-into.ts")).logCommand(task, options)),
    );
  program
    .command("diff")
    .argument("<task>")
    .description("show what a task changed, merged or not")
    .example("lockstep diff T-001", "what the agent has changed so far")
    .example("lockstep diff 2026-11-15_prices/T-001", "a task of an earlier session")
    .action(async (task) => endsWith((await import("../look/look-into.ts")).diffCommand(task)));
}

function addTakingOver(program: LockstepCommand): void {
  program
    .command("stop")
    .argument("<task>")
    .description("stop the agent of a task; its work is kept")
    .option(...json)
    .example("lockstep stop T-001", "stop the agent")
    .example("lockstep stop 2026-11-15_prices/T-001", "where several sessions have a T-001")
    .action(async (task, options) =>
      endsWith((await import("../run/take-over.ts")).stopCommand(task, options)),
    );
  program
    .command("take")
    .argument("<task>")
    .summary("continue a task yourself; `submit` hands it back")
    .description(
      "continue a task yourself, whether it is running, stopped or escalated: its agent stops, its locks are kept, and its folder is printed; `submit` hands it back",
    )
    .option(...json)
    .example("lockstep take T-001", "stop the agent, and print the folder to work in")
    .example("lockstep take 2026-11-15_prices/T-001 --json", "folder and branch as JSON")
    .action(async (task, options) =>
      endsWith((await import("../run/take-over.ts")).takeCommand(task, options)),
    );
  program
    .command("widen")
    .argument("<task>")
    .argument("<path...>", "paths or globs, relative to the project's root")
    .summary("ask for more scope for a task")
    .description(
      "ask for more scope for a task in progress; if no attempt is running, a person can widen the scope of the next one",
    )
    .requiredOption("--why <text>", "what it is needed for")
    .option(...epoch)
    .option(...key)
    .option(...json)
    .example('lockstep widen T-001 src/tax --why "prices include tax"', "one more folder")
    .example(
      'lockstep widen T-001 "docs/**/*.md" --why "the manual shows prices"',
      "everything that a glob matches",
    )
    .action(async (task, paths, options) =>
      endsWith((await import("./ledger-commands.ts")).widenCommand(task, paths, options)),
    );
}

function addTasksByHand(program: LockstepCommand): void {
  const task = program
    .command("task")
    .description("add, list, show, retry, resolve or cancel tasks by hand")
    .example("lockstep task list", "every task and its state")
    .example('lockstep task resolve T-001 --note "use cents"', "answer an escalated task");
  task
    .command("add")
    .argument("<id>", "such as T-001")
    .description("add a task that waits to be dispatched")
    .option("--title <text>", "what it is called in lists")
    .option("--type <name>", "a key of `task_types`")
    .option("--agent <agent>", "the agent that does it")
    .option("--scope <path...>", "what it may change, relative to the current folder")
    .option("--forbid <path...>", "what it must not change even though it is inside the scope")
    .option(
      "--check <criterion...>",
      "an acceptance criterion; one that starts with `cmd:` is run as a command",
    )
    .option("--depends-on <task...>", "tasks that must be merged first")
    .option("--uses <name...>", "named `resources` that it uses, such as a database")
    .option("--file <file>", "an assignment packet, JSON or YAML; `-` reads stdin")
    .option(...key)
    .option(...json)
    .example(
      'lockstep task add T-1 --scope src/price --check "cmd: npm test"',
      "a task with a scope and a check",
    )
    .example("lockstep task add T-2 --file packet.yaml --depends-on T-1", "from a file, after T-1")
    .action(async (id, options) => endsWith((await import("../look/task.ts")).taskAddCommand(id, options)));
  task
    .command("list")
    .description("list every task")
    .option(...json)
    .example("lockstep task list", "every task and its state")
    .example("lockstep task list --json", "the same as JSON")
    .action(async (options) => endsWith((await import("../look/task.ts")).taskListCommand(options)));
  task
    .command("show")
    .argument("<task>")
    .description("show one task: its assignment, attempts and evidence")
    .option(...json)
    .example("lockstep task show T-001", "everything about one task")
    .example("lockstep task show 2026-11-15_prices/T-001 --json", "a task of an earlier session, as JSON")
    .action(async (name, options) =>
      endsWith((await import("../look/task.ts")).taskShowCommand(name, options)),
    );
  addTaskMoves(task);
}

function addTaskMoves(task: LockstepCommand): void {
  task
    .command("retry")
    .argument("<task>")
    .argument("[file]", "the changed assignment packet; `-` reads stdin")
    .description("retry a stopped task, or a denied one with a new assignment")
    .option(...key)
    .option(...json)
    .example("lockstep task retry T-001", "after `stop`, or after you changed the plan")
    .example("lockstep task retry T-001 packet.json", "with another assignment")
    .action(async (name, file, options) =>
      endsWith((await import("../look/task.ts")).taskRetryCommand(name, file, options)),
    );
  task
    .command("escalate")
    .argument("<task>")
    .description("hand a task to a person")
    .requiredOption("--reason <text>", "what a person has to resolve")
    .option(...epoch)
    .option(...key)
    .option(...json)
    .example('lockstep task escalate T-001 --reason "which tax rate?"', "ask a person")
    .example('lockstep task escalate T-001 --reason "no access" --epoch 3', "as the agent of attempt 3")
    .action(async (name, options) =>
      endsWith((await import("../look/task.ts")).taskMoveCommand("task-escalate", name, options)),
    );
  task
    .command("resolve")
    .argument("<task>")
    .description("answer an escalated or failed task: it starts again")
    .requiredOption("--note <text>", "your answer; the agent reads it")
    .option(...key)
    .option(...json)
    .example('lockstep task resolve T-001 --note "19 percent"', "answer a question of the agent")
    .example(
      'lockstep task resolve T-002 --note "the test server is running again"',
      "try a failed task again",
    )
    .action(async (name, options) =>
      endsWith((await import("../look/task.ts")).taskMoveCommand("task-resolve", name, options)),
    );
  task
    .command("cancel")
    .argument("<task>")
    .description("end a task that is not merged")
    .requiredOption("--reason <text>", "why; it is recorded")
    .option(...dryRun)
    .option(...key)
    .option(...json)
    .example('lockstep task cancel T-001 --reason "not needed any more"', "end a task")
    .example("lockstep task cancel T-001 --reason test --dry-run", "see which other tasks that affects")
    .action(async (name, options) =>
      endsWith((await import("../look/task.ts")).taskMoveCommand("task-cancel", name, options)),
    );
}

function addSessions(program: LockstepCommand): void {
  const session = program
    .command("session")
    .description("list the sessions that `run`, `do` and `start` began")
    .example("lockstep session list", "every session and what became of its tasks")
    .example("lockstep session list --json", "the same as JSON");
  session
    .command("list")
    .description("list every session and what became of its tasks")
    .option(...json)
    .example("lockstep session list", "newest first")
    .example("lockstep session list --json", "the same as JSON")
    .action(async (options) => endsWith((await import("../run/session.ts")).sessionListCommand(options)));
  program
    .command("report")
    .argument(
      "[session]",
      "a session, or an agent session (`sess_…` or the client's own id); default: the newest",
    )
    .summary("show the report of a run, or how well agents followed the rules")
    .description(
      "show how well agents followed the rules (score, violations, what to improve); with --run, or if no agent session exists, the report of a run",
    )
    .option(
      "--run",
      "show the report of a run, even if there are agent sessions (default: the newest session)",
    )
    .option(...json)
    .example("lockstep report --run", "the report of the last run again")
    .example("lockstep report", "how well the last orchestrating agent followed the rules")
    .action(async (name, options) =>
      endsWith(
        options.run === true
          ? (await import("../run/report-again.ts")).reportAgainCommand(name, options)
          : (await import("../run/compliance-report.ts")).reportCommand(name, options),
      ),
    );
}

function addRollback(program: LockstepCommand): void {
  const rollback = program
    .command("rollback")
    .summary("revert merged work; nothing is deleted")
    .description(
      "revert merged work, newest first; nothing is deleted, and the command that undoes it is printed",
    )
    .example("lockstep rollback task T-002 --dry-run", "see what would be reverted")
    .example("lockstep rollback session 2026-11-15_prices", "revert everything of a session");
  const levels = {
    task: "revert one task, and what was merged on top of it",
    batch: "revert what was merged together; its tasks run again one by one",
    session: "revert a session and halt it; open tasks are handed to you",
  } as const;
  const names = {
    task: "T-002",
    batch: "BATCH-20261115T214231123Z-5fc1a0",
    session: "2026-11-15_prices",
  } as const;
  for (const level of ["task", "batch", "session"] as const)
    rollback
      .command(level)
      .argument(`<${level}>`)
      .description(levels[level])
      .option(...dryRun)
      .option("--allow-red", "roll back even if the project's checks fail afterwards")
      .option(...json)
      .example(`lockstep rollback ${level} ${names[level]} --dry-run`, "see what would be reverted")
      .example(`lockstep rollback ${level} ${names[level]}`, "revert it")
      .action(async (name, options) =>
        endsWith((await import("../run/rollback.ts")).rollbackCommand(level, name, options)),
      );
}
