import type { Command } from "commander";
import { dryRun, endsWith, epoch, json, key } from "./options.ts";
import { addRuns } from "./run-commands.ts";
import { addSettingUp } from "./set-up-commands.ts";

/** The code behind a command is loaded when it is called. */
export function addEverydayCommands(program: Command): void {
  addRuns(program);
  program
    .command("land")
    .argument(
      "<branch...>",
      "local or remote, a tag or a commit; several are merged in this order; one that breaks an earlier one is left out",
    )
    .description("take a branch into the base: only inside its scope, only proven on the merged tree")
    .option(
      "--scope <path...>",
      "what the branch may change, from the folder you are in (default: everything)",
    )
    .option("--check <command...>", "must pass on the merged tree")
    .option("--proves <command...>", "must fail on the base and pass on the merged tree")
    .option("--may-change-tests <glob...>", "tests that the branch may change without asking you")
    .option("--allow-red", "tolerate checks that already fail on the base, if they fail the same way")
    .option("--dry-run", "prove it, and move nothing")
    .option(...json)
    .action(async (branches, options) =>
      endsWith((await import("../run/land.ts")).landCommand(branches, options)),
    );
  program
    .command("status")
    .description("what waits for you, then every task")
    .option(...json)
    .option("--watch", "show it live, until q")
    .option("--session <session>", "its tasks alone")
    .option("--since <time>", "tasks to which something happened since: an ISO time, or 30m, 2h, 3d ago")
    .option("--failed", "tasks whose work failed or was refused, and is not merged")
    .option("--disk", "the checkouts instead, and what they take on the disk")
    .action(async (options) => endsWith((await import("../look/status.ts")).statusCommand(options)));
  addSessionsAndCleaning(program);
  addTaskCommands(program);
  program
    .command("widen")
    .argument("<task>")
    .argument("<path...>", "paths or globs, from the project's root")
    .description("more scope for a task in progress; a person widens the next attempt of another task too")
    .requiredOption("--why <text>", "what it is needed for")
    .option(...epoch)
    .option(...key)
    .option(...json)
    .action(async (task, paths, options) =>
      endsWith((await import("./ledger-commands.ts")).widenCommand(task, paths, options)),
    );
  program
    .command("decide")
    .argument("[id]", "a decision; without it, the list")
    .argument("[answer]")
    .description("the questions that wait for you, and your answers")
    .option("--note <text>", "why it is refused: whoever mends the work reads it")
    .option("--cancel <reason>", "take the question back")
    .option("--all", "settled ones too")
    .option(...key)
    .option(...json)
    .action(async (id, answer, options) =>
      endsWith((await import("../prompt/decide.ts")).decideCommand(id, answer, options)),
    );
  addRollback(program);
  addAuditCommands(program);
  addBreaker(program);
  addExplaining(program);
  addSettingUp(program);
}

function addSessionsAndCleaning(program: Command): void {
  const session = program.command("session").description("what `run`, `do` and `start` began");
  session
    .command("list")
    .description("every session, with what became of its tasks")
    .option(...json)
    .action(async (options) => endsWith((await import("../run/session.ts")).sessionListCommand(options)));
  program
    .command("clean")
    .description("free what nothing needs any more: old checkouts, refs, outputs and caches")
    .option("--older <days>", "of finished work, what was not used for so many days (default: 30)")
    .option(...dryRun)
    .option(...json)
    .action(async (options) => endsWith((await import("./clean.ts")).cleanCommand(options)));
}

function addTaskCommands(program: Command): void {
  const task = program.command("task").description("tasks by hand");
  task
    .command("add")
    .argument("<id>", "such as T-001")
    .description("a task that waits to be dispatched")
    .option("--title <text>")
    .option("--type <name>", "a key of `task_types`")
    .option("--agent <name>")
    .option("--scope <path...>", "what it may write, from the folder you are in")
    .option("--forbid <path...>", "what it must not write, though it lies in the scope")
    .option("--check <criterion...>", "what must hold; `cmd: …` is run")
    .option("--depends-on <task...>", "tasks that must be merged first")
    .option("--uses <name...>", "named resources that it needs alone")
    .option("--file <file>", "an assignment packet, JSON or YAML; `-` reads stdin")
    .option(...key)
    .option(...json)
    .action(async (id, options) => endsWith((await import("../look/task.ts")).taskAddCommand(id, options)));
  task
    .command("list")
    .description("every task")
    .option(...json)
    .action(async (options) => endsWith((await import("../look/task.ts")).taskListCommand(options)));
  task
    .command("show")
    .argument("<task>")
    .description("one task")
    .option(...json)
    .action(async (name, options) =>
      endsWith((await import("../look/task.ts")).taskShowCommand(name, options)),
    );
  task
    .command("retry")
    .argument("<task>")
    .argument("[file]", "the changed assignment packet; `-` reads stdin")
    .description("the one retry of a denied task, after a change of its assignment")
    .option(...key)
    .option(...json)
    .action(async (name, file, options) =>
      endsWith((await import("../look/task.ts")).taskRetryCommand(name, file, options)),
    );
  addMoves(task);
}

function addMoves(task: Command): void {
  task
    .command("escalate")
    .argument("<task>")
    .description("ask a person: nobody else can resolve it")
    .requiredOption("--reason <text>")
    .option(...epoch)
    .option(...key)
    .option(...json)
    .action(async (name, options) =>
      endsWith((await import("../look/task.ts")).taskMoveCommand("task-escalate", name, options)),
    );
  task
    .command("resolve")
    .argument("<task>")
    .description("your answer to an escalated or failed task: it starts afresh")
    .requiredOption("--note <text>", "how it is resolved")
    .option(...key)
    .option(...json)
    .action(async (name, options) =>
      endsWith((await import("../look/task.ts")).taskMoveCommand("task-resolve", name, options)),
    );
  task
    .command("cancel")
    .argument("<task>")
    .description("end a task that is not merged")
    .requiredOption("--reason <text>")
    .option(...dryRun)
    .option(...key)
    .option(...json)
    .action(async (name, options) =>
      endsWith((await import("../look/task.ts")).taskMoveCommand("task-cancel", name, options)),
    );
}

function addRollback(program: Command): void {
  const rollback = program
    .command("rollback")
    .description("take merged work out again, newest first; nothing is deleted");
  const levels = {
    task: "one task, with what was merged on top of it",
    batch: "everything that was merged together; its tasks are done again one after the other",
    session: "everything of a session; what is open is handed to you, with a report",
  } as const;
  for (const level of ["task", "batch", "session"] as const)
    rollback
      .command(level)
      .argument(`<${level}>`)
      .description(levels[level])
      .option(...dryRun)
      .option("--allow-red", "even if the project's checks fail on what is left")
      .option(...json)
      .action(async (name, options) =>
        endsWith((await import("../run/rollback.ts")).rollbackCommand(level, name, options)),
      );
}

function addAuditCommands(program: Command): void {
  const audit = program.command("audit").description("the event log: every change, in order, never edited");
  audit
    .command("list")
    .description("the newest events")
    .option("--task <task>")
    .option("--type <type>", "such as task.denied")
    .option("--after <seq>", "events after this one, oldest first")
    .option("--limit <n>", "at most so many", "50")
    .option(...json)
    .action(async (options) => endsWith((await import("../look/audit.ts")).auditListCommand(options)));
  audit
    .command("verify")
    .description("does the chain hold? names the first broken link, exit 1")
    .option("--head <file>", "compare it with what `audit export` wrote, or with the last line of that")
    .option(...json)
    .action(async (options) => endsWith((await import("../look/audit.ts")).auditVerifyCommand(options)));
  audit
    .command("export")
    .argument("[file]", "default: stdout")
    .description("all events as JSON Lines; the last line is the head: how far the log had come")
    .action(async (file) => endsWith((await import("../look/audit.ts")).auditExportCommand(file)));
}

function addBreaker(program: Command): void {
  const breaker = {
    pause: "start nothing new; running work may finish",
    "stop-all": "start nothing, write nothing",
    clear: "let work go on",
  } as const;
  for (const name of ["pause", "stop-all", "clear"] as const)
    program
      .command(name)
      .description(breaker[name])
      .option("--reason <text>")
      .option(...dryRun)
      .option(...key)
      .option(...json)
      .action(async (options) =>
        endsWith((await import("./ledger-commands.ts")).breakerCommand(name, options)),
      );
}

function addExplaining(program: Command): void {
  program
    .command("explain")
    .argument("<command>", "a shell command line, quoted")
    .description("what a shell command would write and run, and whether a lock allows it")
    .option("--scope <path...>", "judge it for an agent that holds these paths")
    .option("--others <path...>", "paths that other tasks hold")
    .option("--task <task>", "judge it for this task, by the locks in the ledger")
    .option("--why", "name what decided: the row of the guard's table, and the option or operand")
    .option(...json)
    .action(async (line, options) =>
      endsWith((await import("../look/explain.ts")).explainCommand(line, options)),
    );
  program
    .command("exec")
    .argument("<task>", "one that holds a lock")
    .argument("<command...>", "a program and its arguments, after `--`")
    .description("run a command in the sandbox of a task: what its agent may not write is read-only")
    .action(async (task, words) => endsWith((await import("./exec.ts")).execCommand(task, words)));
  program
    .command("report")
    .argument(
      "[session]",
      "an agent session (`sess_…`, or the client's own), or a session; default: the newest",
    )
    .description(
      "how agents kept to the rules: score, violations, what to do better; else what became of a run",
    )
    .option("--run", "always what became of a run: its report once more (default: of the newest session)")
    .option(...json)
    .action(async (name, options) =>
      endsWith(
        options.run === true
          ? (await import("../run/report-again.ts")).reportAgainCommand(name, options)
          : (await import("../run/compliance-report.ts")).reportCommand(name, options),
      ),
    );
  program
    .command("self-check")
    .description("the five questions that an orchestrating agent asks itself before a tool call")
    .option(...json)
    .action(async (options) => {
      process.exitCode = (await import("./self-check.ts")).selfCheckCommand(options);
    });
  program
    .command("schema")
    .argument("[name]", "a schema's name; without it, the list")
    .description("the JSON Schemas of payloads, results, operations and the configuration")
    .option("--json", "the list as one JSON document")
    .action(async (name: string | undefined, options) => {
      process.exitCode = (await import("./schema.ts")).schemaCommand(name, options);
    });
}
