import { agentClients } from "../../contract/client-names.ts";
import type { LockstepCommand } from "../help/lockstep-command.ts";
import { keepHeapSmall } from "../hook/keep-heap-small.ts";
import {
  allowRed,
  check,
  endsWith,
  json,
  key,
  mayChangeTests,
  minutes,
  proves,
  scope,
  tokens,
} from "./options.ts";

export function addEverydayCommands(program: LockstepCommand): void {
  addRun(program);
  addDo(program);
  addLand(program);
  addStatusAndDecide(program);
  addBoard(program);
  addStart(program);
  program
    .command("doctor")
    .summary("check that everything works here; say how to fix what does not")
    .description(
      "check git, Node, the sandbox, tests, agents, hooks and the ledger here, and say how to fix what is broken; exit 1 if anything is",
    )
    .option(...json)
    .example("lockstep doctor", "see what Lockstep found in this repository")
    .example("lockstep doctor --json | jq .findings", "the same, for a script")
    .action(async (options) => endsWith((await import("../doctor/doctor.ts")).doctorCommand(options)));
  program
    .command("demo")
    .summary("watch agents misbehave, without Lockstep and with it")
    .description(
      "run the same plan on plain branches and with Lockstep, with agents that misbehave; needs no account and no network",
    )
    .option("--client <client>", `let one of these do the honest tasks: ${agentClients.join(", ")}`)
    .option(...json)
    .example("lockstep demo", "about half a minute, in throw-away repositories")
    .example("lockstep demo --client claude", "the honest tasks are done by Claude Code")
    .action(async (options) => endsWith((await import("../demo/demo.ts")).demoCommand(options)));
}

function addRun(program: LockstepCommand): void {
  program
    .command("run")
    .argument("[plan]", "default: tasks.yaml")
    .summary("run a plan: several tasks in parallel, each verified and merged")
    .description(
      "run a plan: each task in a checkout of its own, several in parallel, merged only when it is proven. Run it again to continue after a crash or Ctrl-C. See `lockstep help plans`",
    )
    .option("--agent <agent>", "let this agent do every task")
    .option("--max-parallel <n>", "maximum number of tasks in parallel (default: limits.max_parallel)")
    .option(...tokens)
    .option(...minutes)
    .option("--again", "start a new session even if the plan already has one")
    .option(...allowRed)
    .option("--dry-run", "show order, batches, overlaps, agents and limits; start nothing")
    .option(...json)
    .option("--json-lines", "print every event as a line of JSON, and at the end the document of --json")
    .example("lockstep run", "run tasks.yaml, or continue it")
    .example("lockstep run --dry-run", "see the order of the tasks before anything starts")
    .example("lockstep run plans/prices.yaml --max-parallel 2", "another plan, at most two tasks in parallel")
    .hook("preAction", keepHeapSmall)
    .action(async (plan, options) => endsWith((await import("../run/run.ts")).runCommand(plan, options)));
}

function addBoard(program: LockstepCommand): void {
  program
    .command("board")
    .summary("show what needs you, and everything else, in the browser")
    .description(
      "open the board in the browser: what needs you, the tasks with their changes, logs and evidence, the timeline, locks, merges, refusals, cost and plan; questions can be answered there. It is served on this machine only, by the warm process",
    )
    .option("--port <n>", "use this port instead of the repository's usual one")
    .option("--no-open", "print the link instead of opening the browser")
    .option(...json)
    .example("lockstep board", "open it in the browser")
    .example("lockstep board --no-open", "print a link that works once, for a minute")
    .action(async (options) => endsWith((await import("../board/board.ts")).boardCommand(options)));
}

function addDo(program: LockstepCommand): void {
  program
    .command("do")
    .argument("<goal>", "what is to be done, in quotes")
    .summary("take one task all the way to a verified merge")
    .description("take one task all the way to a verified merge, without a plan")
    .option(...scope)
    .option(...check)
    .option(...proves)
    .option(...mayChangeTests)
    .option("--new", "start again even if the same goal is still unfinished")
    .option("--agent <agent>", "the agent that does it (default: the coding agent)")
    .option(...tokens)
    .option(...minutes)
    .option(...allowRed)
    .option(...json)
    .example('lockstep do "Round prices half-even" --scope src/price', "only src/price may change")
    .example(
      'lockstep do "Fix the tax of zero" --proves "npm test -- tax"',
      "the command must fail before the change and pass after it",
    )
    .hook("preAction", keepHeapSmall)
    .action(async (goal, options) => endsWith((await import("../run/do.ts")).doCommand(goal, options)));
}

function addLand(program: LockstepCommand): void {
  program
    .command("land")
    .argument(
      "<branch...>",
      "local or remote branch, tag or commit; several are merged in this order, and one that breaks an earlier one is left out",
    )
    .summary("merge a branch if it stays within its scope and its checks pass")
    .description(
      "merge a branch into the base (the branch that is checked out, or `base_branch`), but only if it stays within its scope and the checks pass on the merged tree",
    )
    .option(...scope)
    .option(...check)
    .option(...proves)
    .option(...mayChangeTests)
    .option(...allowRed)
    .option("--dry-run", "verify it, and merge nothing")
    .option(...json)
    .example("lockstep land fix-rounding", "merge a branch that passes the project's tests")
    .example(
      "lockstep land fix-rounding --scope src/price test/price",
      "refuse it if it changes anything else",
    )
    .example("lockstep land fix-a fix-b --dry-run", "do these two branches pass together?")
    .action(async (branches, options) =>
      endsWith((await import("../run/land.ts")).landCommand(branches, options)),
    );
}

function addStatusAndDecide(program: LockstepCommand): void {
  program
    .command("status")
    .summary("show what is waiting for you, then every task")
    .description("first show what is waiting for you, then every task, lock and cost")
    .option(...json)
    .option("--watch", "update it live; q quits")
    .option("--session <session>", "only the tasks of this session")
    .option("--since <time>", "only tasks that changed since an ISO 8601 time, or in the last 30m, 2h or 3d")
    .option("--failed", "only tasks that failed or were refused, and are not merged")
    .option("--disk", "show the checkouts and their sizes instead")
    .example("lockstep status", "what is going on, and what is waiting for you")
    .example("lockstep status --since 2h --failed", "what went wrong in the last two hours")
    .example("lockstep status --watch", "follow a run from another terminal")
    .action(async (options) => endsWith((await import("../look/status.ts")).statusCommand(options)));
  program
    .command("decide")
    .argument("[decision]", "such as UD-1; without it, all of them")
    .argument("[answer]", "one of the answers that the question lists")
    .summary("list the questions that are waiting for you, and answer them")
    .description(
      "list the questions that are waiting for you, and answer them; on a terminal it asks one after the other",
    )
    .option("--note <text>", "why you refuse; the agent that fixes the work reads it")
    .option("--cancel <reason>", "withdraw the question")
    .option("--all", "list answered questions too")
    .option(...key)
    .option(...json)
    .example("lockstep decide", "go through everything that is waiting for you")
    .example("lockstep decide UD-1 approved", "answer one question")
    .example('lockstep decide UD-2 "refuse: prices are not free"', "refuse, with a reason")
    .action(async (id, answer, options) =>
      endsWith((await import("../prompt/decide.ts")).decideCommand(id, answer, options)),
    );
}

function addStart(program: LockstepCommand): void {
  program
    .command("start")
    .argument("<goal>", "what is to be achieved, in quotes")
    .summary("take a goal from specification to release; you approve steps")
    .description(
      "take a goal through specification, design, plan, work, review and release; you approve the design, and decide how the work is reviewed",
    )
    .option("--lean", "a short process for a small change: one task, no design")
    .option("--agent <agent>", "the agent for every role that has none of its own")
    .option(...allowRed)
    .option(...json)
    .example(
      'lockstep start "Prices in other currencies"',
      "the full process; it asks its questions at the terminal",
    )
    .example('lockstep start --lean "Fix the typo in the invoice"', "one small task, no design")
    .hook("preAction", keepHeapSmall)
    .action(async (goal, options) => endsWith((await import("../run/start.ts")).startCommand(goal, options)));
  program
    .command("resume")
    .argument("[session]", "default: the newest that is not done")
    .summary("continue what `start` began, after an answer, a stop or a crash")
    .description("continue what `start` began, after an answer, a stop, a crash or a blocker")
    .option("--abandon <reason>", "give the session up instead; what is merged stays")
    .option(...allowRed)
    .option(...json)
    .example("lockstep resume", "continue the newest session that is not done")
    .example('lockstep resume 2026-11-15_prices --abandon "not needed any more"', "give a session up")
    .hook("preAction", keepHeapSmall)
    .action(async (name, options) =>
      endsWith((await import("../run/start.ts")).resumeCommand(name, options)),
    );
}
