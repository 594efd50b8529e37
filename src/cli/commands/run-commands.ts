import type { Command } from "commander";
import { keepHeapSmall } from "../hook/keep-heap-small.ts";
import { endsWith, json } from "./options.ts";

/** What sets agents to work, and what looks at them while they are. */
export function addRuns(program: Command): void {
  program
    .command("demo")
    .description("agents that misbehave, on plain branches and with Lockstep: no account, no network")
    .option("--client <name>", "the honest tasks are done by claude, codex, gemini, opencode or copilot")
    .option(...json)
    .action(async (options) => endsWith((await import("../demo/demo.ts")).demoCommand(options)));
  program
    .command("run")
    .argument("[plan]", "default: tasks.yaml")
    .description("run a plan: each task in a checkout of its own, merged only when it is proven")
    .option("--agent <name>", "every task is done by this agent")
    .option("--max-parallel <n>", "so many tasks at once (default: limits.max_parallel)")
    .option("--tokens <n>", "what a task may spend (default: limits.tokens.halt)")
    .option("--minutes <n>", "how long an attempt may take (default: limits.minutes.halt)")
    .option("--again", "start it anew, though it has a session")
    .option("--allow-red", "checks that fail on the base may go on failing as they do")
    .option("--dry-run", "order, batches, overlaps, agents and limits; start nothing")
    .option(...json)
    .option("--json-lines", "every event as a line of JSON on stdout, and last the document of --json")
    .hook("preAction", keepHeapSmall)
    .action(async (plan, options) => endsWith((await import("../run/run.ts")).runCommand(plan, options)));
  program
    .command("do")
    .argument("<goal>", "what is to be done, in quotes")
    .description("one task without a plan: done, proven and merged")
    .option("--scope <path...>", "what it may change, from the folder you are in (default: everything)")
    .option("--check <command...>", "must pass on the merged tree (default: the project's tests)")
    .option("--proves <command...>", "must fail on the base and pass on the merged tree")
    .option("--may-change-tests <glob...>", "tests that it may change without asking you")
    .option("--new", "begin anew, though the same goal is unfinished")
    .option("--agent <name>", "who does it (default: the one that codes)")
    .option("--tokens <n>", "what it may spend (default: limits.tokens.halt)")
    .option("--minutes <n>", "how long an attempt may take (default: limits.minutes.halt)")
    .option("--allow-red", "checks that fail on the base may go on failing as they do")
    .option(...json)
    .hook("preAction", keepHeapSmall)
    .action(async (goal, options) => endsWith((await import("../run/do.ts")).doCommand(goal, options)));
  program
    .command("start")
    .argument("<goal>", "what is to be achieved, in quotes")
    .description(
      "from a goal to done: specification, design, plan, work, review and release, with you deciding",
    )
    .option("--lean", "the short way, for a small change: one task, no design")
    .option("--agent <name>", "who does what no role is configured for")
    .option("--allow-red", "checks that fail on the base may go on failing as they do")
    .option(...json)
    .hook("preAction", keepHeapSmall)
    .action(async (goal, options) => endsWith((await import("../run/start.ts")).startCommand(goal, options)));
  program
    .command("resume")
    .argument("[session]", "default: the newest that is not done")
    .description("go on with what `start` began, after an answer, a stop or a blocker")
    .option("--abandon <reason>", "give it up instead; what is merged stays")
    .option("--allow-red", "checks that fail on the base may go on failing as they do")
    .option(...json)
    .hook("preAction", keepHeapSmall)
    .action(async (name, options) =>
      endsWith((await import("../run/start.ts")).resumeCommand(name, options)),
    );
  addLooking(program);
}

function addLooking(program: Command): void {
  program
    .command("serve")
    .description("answer hooks from a warm process; hooks start it themselves, and it ends when idle")
    .option("--port <n>", "another port for HTTP than this repository's own")
    .action(async (options) => endsWith((await import("./serve.ts")).serveCommand(options)));
  program
    .command("log")
    .argument("<task>", "or a branch that was landed or refused")
    .description("what the agent of a task said, what became of its work, and what its failed checks printed")
    .option("-f, --follow", "go on until its attempt is over")
    .option("--check <n>", "all that the n-th check of the last proof printed")
    .option(...json)
    .action(async (task, options) =>
      endsWith((await import("../look/look-into.ts")).logCommand(task, options)),
    );
  program
    .command("diff")
    .argument("<task>")
    .description("what a task changed, merged or not")
    .action(async (task) => endsWith((await import("../look/look-into.ts")).diffCommand(task)));
  program
    .command("stop")
    .argument("<task>")
    .description("end the work of an agent; everything that it made is kept")
    .option(...json)
    .action(async (task, options) =>
      endsWith((await import("../run/take-over.ts")).stopCommand(task, options)),
    );
  program
    .command("take")
    .argument("<task>")
    .description(
      "go on with a task yourself, at work or stopped or escalated: its agent stops, its locks stay; `submit` hands it back",
    )
    .option(...json)
    .action(async (task, options) =>
      endsWith((await import("../run/take-over.ts")).takeCommand(task, options)),
    );
}
