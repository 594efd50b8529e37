import { clientNames } from "../../contract/client-names.ts";
import type { LockstepCommand } from "../help/lockstep-command.ts";
import { dryRun, endsWith, json } from "./options.ts";

export function addGuardCommands(program: LockstepCommand): void {
  addSetUp(program);
  addJudging(program);
  program
    .command("claim")
    .argument("<task>")
    .summary("bind an interactive agent to the task that it works on")
    .description(
      "bind the agent that runs this command to a task: the guard sees the call, and binds the agent once",
    )
    .option(...json)
    .example("lockstep claim T-001", "typed by the agent in its own shell")
    .example("lockstep claim 2026-11-15_prices/T-001", "where several sessions have a T-001")
    .action(async (task) => endsWith((await import("./claim.ts")).claimCommand(task)));
  program
    .command("self-check")
    .summary("the five questions an orchestrating agent asks itself")
    .description("print the five questions that an orchestrating agent asks itself before a tool call")
    .option(...json)
    .example("lockstep self-check", "the questions as text")
    .example("lockstep self-check --json", "the questions as JSON")
    .action(async (options) => {
      process.exitCode = (await import("./self-check.ts")).selfCheckCommand(options);
    });
  addAgentSession(program);
  program
    .command("serve")
    .summary("the warm process that answers hooks")
    .description("answer hooks from a warm process; hooks start it themselves, and it ends when it is idle")
    .option("--port <n>", "use this HTTP port instead of the repository's usual one")
    .example("lockstep serve", "start it by hand; Ctrl-C ends it")
    .example("lockstep serve --port 4823", "where the usual port is taken")
    .action(async (options) => endsWith((await import("./serve.ts")).serveCommand(options)));
}

function addSetUp(program: LockstepCommand): void {
  program
    .command("init")
    .summary("add hooks to your coding clients, and write a configuration")
    .description(
      "add hooks to the coding clients that are used here, and write a configuration file for you to edit",
    )
    .option("--client <client...>", `set up only these clients: ${clientNames.join(", ")}`)
    .option("--shared", "write to the committed settings of clients that also have personal ones")
    .option("--orchestrator", "also write the self-check to CLAUDE.md, AGENTS.md and GEMINI.md")
    .option("--roles", "also write the instructions of each role to .lockstep/roles, for you to edit")
    .option("--dry-run", "show the difference, and write nothing")
    .option("--remove", "remove what `init` wrote, and nothing else")
    .example("lockstep init --dry-run", "see what would be written")
    .example("lockstep init --client claude codex", "hooks for these two clients only")
    .example("lockstep init --remove", "take everything out again")
    .action(async (options) => endsWith((await import("./init.ts")).initCommand(options)));
}

function addJudging(program: LockstepCommand): void {
  program
    .command("explain")
    .argument("<command>", "a shell command line, in quotes")
    .summary("what a shell command would write, and whether a lock allows it")
    .description(
      "show what a shell command would write and run, and whether a lock allows it; exit 2 if it does not",
    )
    .option("--scope <path...>", "judge it for an agent that holds these paths")
    .option("--others <path...>", "paths that other tasks hold")
    .option("--task <task>", "judge it for the agent of this task, by the locks in the ledger")
    .option("--why", "name what decided: the row of the guard's table, and the option or operand")
    .option(...json)
    .example(
      "lockstep explain 'sed -i s/a/b/ src/x.ts' --scope src",
      "may an agent with the scope src run this?",
    )
    .example("lockstep explain 'make build' --task T-001 --why", "what decides for this task")
    .action(async (line, options) =>
      endsWith((await import("../look/explain.ts")).explainCommand(line, options)),
    );
  program
    .command("exec")
    .argument("<task>", "one that holds a lock")
    .argument("<command...>", "a program and its arguments, after `--`")
    .summary("run a command in the sandbox of a task")
    .description("run a command in the sandbox of a task: what its agent may not write is read-only")
    .example("lockstep exec T-001 -- npm test", "run the tests as the agent of T-001 would")
    .example("lockstep exec T-001 -- sh -c 'touch src/price.js'", "see whether a path is writable")
    .action(async (task, words) => endsWith((await import("./exec.ts")).execCommand(task, words)));
}

function addAgentSession(program: LockstepCommand): void {
  const session = program
    .command("agent-session")
    .summary("the record of an orchestrating agent's session")
    .description(
      "the record of an orchestrating agent's session: what it read, and how well it followed the rules",
    )
    .example("lockstep agent-session init orchestrator", "start a record")
    .example("lockstep agent-session summary", "its compliance so far");
  const load = () => import("./agent-session.ts");
  session
    .command("init")
    .argument("<role>", "`orchestrator`, or any other for an agent that does the work")
    .description("start a session, or continue the one that is there")
    .option(...json)
    .example("lockstep agent-session init orchestrator", "an agent that delegates")
    .example("lockstep agent-session init coder", "an agent that does the work")
    .action(async (role, options) => endsWith((await load()).initCommand(role, options)));
  session
    .command("reset")
    .description("count reads from zero, as after a spawn")
    .option(...json)
    .example("lockstep agent-session reset", "after work was delegated")
    .example("lockstep agent-session reset --json", "the same, with a JSON answer")
    .action(async (options) => endsWith((await load()).resetCommand(options)));
  session
    .command("summary")
    .description("show its compliance so far")
    .option(...json)
    .example("lockstep agent-session summary", "score and violations")
    .example("lockstep agent-session summary --json", "the same as JSON")
    .action(async (options) => endsWith((await load()).summaryCommand(options)));
  session
    .command("clear")
    .description("end the session")
    .option("--archive", "keep its state, with a report beside it")
    .option(...dryRun)
    .option(...json)
    .example("lockstep agent-session clear --archive", "end it, and keep a report")
    .example("lockstep agent-session clear --dry-run", "see which session would end")
    .action(async (options) => endsWith((await load()).clearCommand(options)));
  session
    .command("validate")
    .description("exit 0 if the compliance score is at least 80, otherwise 2")
    .requiredOption("--session-id <id>", "`sess_…`, or the client's own")
    .option(...json)
    .example("lockstep agent-session validate --session-id sess_1a2b3c", "one session, by Lockstep's id")
    .example(
      'lockstep agent-session validate --session-id "$CLAUDE_CODE_SESSION_ID"',
      "by the client's own id",
    )
    .action(async (options) => endsWith((await load()).validateCommand(options)));
}
