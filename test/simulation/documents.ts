import type { Details } from "../../src/core/rules/verdict.ts";
import type { Task } from "../../src/core/tasks/task.ts";
import { field, isStringList } from "../../src/core/values/fields.ts";
import type { Random } from "./random.ts";
import { worklogOf } from "./scopes.ts";
import type { Secrets } from "./secrets.ts";

interface Writer {
  readonly random: Random;
  readonly secrets: Secrets;
}

/** The documents that agents submit, in all accepted forms and in some that are not. */
export function makeDocument({ random, secrets }: Writer, task: Task): unknown {
  const say = (text: string) => secrets.in(text);
  const make = random.weighted<() => unknown>([
    [14, () => goodResult(task)],
    [3, () => ({ ...goodResult(task), changes: [{ resource: insideOf(task), action: "edit" }] })],
    [2, () => ({ ...goodResult(task), notes_for_orchestrator: [say("all done")] })],
    [3, () => ({ status: "OK", summary: "done", artifacts: { files_changed: [], notes: [say("fine")] } })],
    [
      2,
      () => ({
        status: "complete",
        deliverable: { filesModified: [], testsPassing: true },
        evidence: { testOutput: say("ok") },
      }),
    ],
    [5, () => ({ ...goodResult(task), status: "blocked", notes_for_orchestrator: [say("no database")] })],
    [2, () => ({ ...goodResult(task), status: "failed", notes_for_orchestrator: [say("it broke")] })],
    [3, () => ({ error: errorReport(task, say, random) })],
    [
      2,
      () => ({ escalation: { reason: say("unclear"), blockers: [say("who decides")], attempted_paths: [] } }),
    ],
    [4, () => badResult(task, random, say)],
  ]);
  return make();
}

/** Accepted if the worklog has grown. */
export function goodResult(task: Task): Details {
  return {
    status: "done",
    changes: [],
    acceptance_check: checksOf(task, "pass"),
    worklog_path: worklogOf(task.key),
    notes_for_orchestrator: [],
  };
}

export function checksOf(task: Task, status: string, evidence = "npm test"): readonly Details[] {
  const criteria = field(task.assignment, "acceptance_criteria");
  return (isStringList(criteria) ? criteria : []).map((criterion) => ({ criterion, status, evidence }));
}

function badResult(task: Task, random: Random, say: (text: string) => string): unknown {
  const good = goodResult(task);
  return random.pick<() => unknown>([
    () => ({ ...good, status: say("nonsense") }),
    () => ({ ...good, changes: [{ resource: say("elsewhere/file.ts"), action: say("edit") }] }),
    () => ({ ...good, changes: [{ resource: ".git/config", action: "edit" }] }),
    () => ({ ...good, acceptance_check: [] }),
    () => ({ ...good, acceptance_check: checksOf(task, say("fail"), say("log")) }),
    () => ({ ...good, acceptance_check: checksOf(task, "pass", " ") }),
    () => ({ ...good, notes_for_orchestrator: say("not a list") }),
    () => ({ result: good, task_id: say("T-99") }),
    () => [say("done")],
    () => ({ [say("key")]: say("value") }),
  ])();
}

function errorReport(task: Task, say: (text: string) => string, random: Random): Details {
  return {
    taskId: task.id,
    agent: say("coder"),
    errorType: random.pick(["compile", "test", "runtime", "blocked"]),
    message: say(random.pick(["exit 1 at line 12", "cannot find it"])),
    stackTrace: say("at main.ts:3"),
    attemptedFix: say("tried again"),
    retryCount: 1,
    recommendation: say("ask a person"),
  };
}

function insideOf(task: Task): string {
  const scope = field(task.assignment, "lock_scope");
  const [first] = isStringList(scope) ? scope : [];
  return first ?? "src";
}
