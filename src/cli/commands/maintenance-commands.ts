import { shells } from "../completion/shells.ts";
import type { LockstepCommand } from "../help/lockstep-command.ts";
import { dryRun, endsWith, json, key } from "./options.ts";

export function addMaintenance(program: LockstepCommand): void {
  addBreaker(program);
  program
    .command("clean")
    .summary("free disk space: old checkouts, refs, outputs and caches")
    .description(
      "delete old checkouts, refs, outputs and caches that nothing needs any more, and the checkouts of repositories that no longer exist",
    )
    .option(
      "--older <days>",
      "delete what belongs to finished work and was not used for this many days (default: 30)",
    )
    .option(...dryRun)
    .option(...json)
    .example("lockstep clean --dry-run", "see what would be freed")
    .example("lockstep clean --older 7", "keep only the last week")
    .action(async (options) => endsWith((await import("./clean.ts")).cleanCommand(options)));
  addAudit(program);
  addHelp(program);
}

function addBreaker(program: LockstepCommand): void {
  const breaker = {
    pause: "start no new task; running ones may finish",
    "stop-all": "stop agents, start no task, and refuse every write by an agent",
    clear: "resume work after `pause` or `stop-all`",
  } as const;
  for (const name of ["pause", "stop-all", "clear"] as const)
    program
      .command(name)
      .description(breaker[name])
      .option("--reason <text>", "why; it is recorded")
      .option(...dryRun)
      .option(...key)
      .option(...json)
      .example(`lockstep ${name} --reason "the test server is being moved"`, "with a reason for the record")
      .example(`lockstep ${name} --dry-run`, "see which tasks are running")
      .action(async (options) =>
        endsWith((await import("./ledger-commands.ts")).breakerCommand(name, options)),
      );
}

function addAudit(program: LockstepCommand): void {
  const audit = program
    .command("audit")
    .description("the event log: every change, in order, never edited")
    .example("lockstep audit list --task T-001", "what happened to one task")
    .example("lockstep audit verify", "is the log complete and unchanged?");
  audit
    .command("list")
    .description("show the newest events")
    .option("--task <task>", "only events of this task")
    .option("--type <type>", "only events of this type, such as task.denied")
    .option("--after <seq>", "events after this one, oldest first")
    .option("--limit <n>", "at most this many", "50")
    .option(...json)
    .example("lockstep audit list --type task.denied", "what was refused")
    .example("lockstep audit list --after 120 --json", "everything after event 120, as JSON")
    .action(async (options) => endsWith((await import("../look/audit.ts")).auditListCommand(options)));
  audit
    .command("verify")
    .summary("check the hash chain of the log")
    .description("check the hash chain; if a link is broken, name the first one and exit 1")
    .option("--head <file>", "compare the log with what `audit export` wrote, or with its last line")
    .option(...json)
    .example("lockstep audit verify", "is the log complete and unchanged?")
    .example("lockstep audit verify --head events.jsonl", "does it still contain an earlier export?")
    .action(async (options) => endsWith((await import("../look/audit.ts")).auditVerifyCommand(options)));
  audit
    .command("export")
    .argument("[file]", "default: stdout")
    .description("write all events as JSON Lines")
    .example("lockstep audit export events.jsonl", "into a file")
    .example("lockstep audit export | jq -r .type | sort | uniq -c", "how many events of each type")
    .action(async (file) => endsWith((await import("../look/audit.ts")).auditExportCommand(file)));
}

function addHelp(program: LockstepCommand): void {
  program
    .command("completion")
    .argument(`<${shells.join("|")}>`, "your shell")
    .description("print a completion script for bash, zsh or fish")
    .example("source <(lockstep completion bash)", "in ~/.bashrc")
    .example("source <(lockstep completion zsh)", "in ~/.zshrc, after compinit")
    .example("lockstep completion fish > ~/.config/fish/completions/lockstep.fish", "for fish")
    .action(async (shell: string) => {
      process.exitCode = (await import("../completion/completion.ts")).completionCommand(shell);
    });
  // The completion scripts call it.
  program
    .command("__complete", { hidden: true })
    .argument("[word...]", "the words after `lockstep`, up to the cursor")
    .action(async (words: readonly string[]) => {
      await (await import("../completion/complete-words.ts")).completeCommand(program, words);
    });
  program
    .command("help")
    .argument("[name...]", "a command, or a topic")
    .description("show the help of a command or a topic; alone, list them")
    .example("lockstep help land", "the options of one command")
    .example("lockstep help scopes", "how paths and globs are written")
    .action(async (names: readonly string[]) => {
      process.exitCode = (await import("../help/help.ts")).helpCommand(program, names);
    });
}
