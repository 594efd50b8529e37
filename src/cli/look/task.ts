import { heartbeatFor } from "../../contract/heartbeat.ts";
import { worklogPath } from "../../core/names/session-paths.ts";
import { idOfKey, unknownTask } from "../../core/names/task-name.ts";
import { untestedIn, untestedText } from "../../core/proof/check-record.ts";
import { vagueWarnings } from "../../core/proof/vague-wording.ts";
import type { Details, Verdict } from "../../core/rules/verdict.ts";
import { field, isObject, isText } from "../../core/values/fields.ts";
import type { TaskStatus } from "../../engine/views/read-status.ts";
import { statusNames } from "../../view/status-names.ts";
import { waitsText } from "../../view/task-words.ts";
import { localTime } from "../../workspace/process/local-time.ts";
import { type AskOptions, ask } from "../open/ask.ts";
import { onlyName, wholeName } from "../open/find-task.ts";
import { needPlace } from "../open/need-place.ts";
import { readDocument } from "../open/read-input.ts";
import { scopeFromHere, tellScope } from "../open/scope-from-here.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { showReading } from "../output/reading.ts";
import { style } from "../output/style.ts";
import { printable } from "../output/table.ts";
import { tellVerdict } from "../output/verdicts.ts";
import { lessWords } from "../run-view/less-lines.ts";
import { stateOf, taskTable } from "./task-table.ts";

interface TaskOptions extends AskOptions {
  readonly json?: boolean;
}

interface AddOptions extends TaskOptions {
  readonly file?: string;
  readonly title?: string;
  readonly type?: string;
  readonly agent?: string;
  readonly scope?: readonly string[];
  readonly forbid?: readonly string[];
  readonly check?: readonly string[];
  readonly dependsOn?: readonly string[];
  readonly uses?: readonly string[];
}

export function taskAddCommand(id: string, options: AddOptions): Promise<0 | 2> {
  return tellVerdict({ json: options.json, text: stateText(id) }, async () => {
    const packet = await packetOf(id, options);
    for (const line of vagueIn(packet)) writeAll(2, `warning: ${printable(line)}\n`);
    return ask("task-add", { packet }, { ...options, create: true });
  });
}

function vagueIn({ assignment }: Details): readonly string[] {
  const goal = field(assignment, "objective");
  const criteria = field(assignment, "acceptance_criteria");
  return vagueWarnings({
    ...(isText(goal) ? { goal } : {}),
    criteria: Array.isArray(criteria) ? criteria.filter(isText) : [],
  });
}

async function packetOf(id: string, options: AddOptions): Promise<Details> {
  const { file, title, type, agent, check, dependsOn, uses } = options;
  const scope = tellScope(options.scope, (line) => writeAll(2, `${printable(line)}\n`));
  const forbid = options.forbid && scopeFromHere(options.forbid);
  const given = file === undefined ? {} : await readDocument(file);
  if (!isObject(given))
    throw new CommandFault("R-IN-001", "the document is not an object: give an assignment packet");
  const assignment = isObject(given.assignment) ? given.assignment : {};
  const set = (fields: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return {
    ...given,
    ...set({ title, type, agent, depends_on: dependsOn }),
    task_id: id,
    assignment: {
      ...defaults(id, assignment),
      ...assignment,
      ...set({ lock_scope: scope, forbidden_scope: forbid, acceptance_criteria: check, uses }),
    },
  };
}

/** The defaults of a task in a plan. */
function defaults(id: string, { timeout_seconds: timeout = 900 }: Details): Details {
  return {
    forbidden_scope: [],
    worklog_path: worklogPath(null, id),
    timeout_seconds: timeout,
    heartbeat_interval_seconds: heartbeatFor(Number(timeout)),
  };
}

export function taskListCommand({ json, ...options }: TaskOptions): Promise<number> {
  const text = (tasks: readonly TaskStatus[]) =>
    tasks.length === 0 ? "no tasks yet\n" : taskTable(tasks, statusNames(tasks).of);
  return showReading({ json, text }, async () => {
    await needPlace();
    return ask("task-list", {}, options);
  });
}

export function taskShowCommand(name: string, { json, ...options }: TaskOptions): Promise<number> {
  return showReading({ json, text: taskText }, async () => {
    const task = await wholeName(name);
    return (await ask("task-show", { task }, options)) ?? unknownTask(task);
  });
}

function taskText(task: TaskStatus): string {
  const shown: [string, unknown][] = [
    ["task", task.title === null ? task.key : `${task.key}  ${task.title}`],
    ["state", task.state === "MERGED" ? stateOf(task) : `${stateOf(task)}, next: ${task.owner}`],
    ["why", [task.code, task.reason].filter(Boolean).join(" ")],
    ["advice", (task.details.escalation as { recommendation?: string } | undefined)?.recommendation],
    ["fix", task.fix_delta === null ? "" : task.fix_delta.guidance],
    ["agent", task.agent],
    ["attempts", task.attempts],
    ["scope", task.scope.join(", ")],
    ["needs", task.depends_on.join(", ")],
    ["waits", waitsText(task).replace(/^waits /, "")],
    [
      "lease",
      task.alive === null
        ? ""
        : `${task.alive.lease}, last heartbeat ${localTime(task.alive.last_heartbeat_at)}`,
    ],
    ["machine", task.alive?.machine_name],
    ["tokens", task.usage.tokens || ""],
    ["pr", task.pr_url],
    ["proof", [task.proof, ...untestedIn(task.evidence).map(untestedText)].filter(Boolean).join("; ")],
    ["commit", task.commit],
    ["answer", task.resolution],
    ["by hand", task.manual_steps.join("; ")],
    ["tests", task.tests_added_or_updated.join(", ")],
    ["claims", lessWords({ ...task, evidence: [], weakened: [] }).join("; ")],
  ];
  return shown
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => `${style.bold(name.padEnd(8))}  ${printable(String(value))}\n`)
    .join("");
}

export function taskRetryCommand(
  name: string,
  file: string | undefined,
  options: TaskOptions,
): Promise<0 | 2> {
  return tellVerdict({ json: options.json, text: stateText(name) }, async () => {
    const packet = file === undefined ? {} : { packet: await readDocument(file) };
    return ask("task-retry", { task: await wholeName(name), ...packet }, options);
  });
}

interface ReasonOptions extends TaskOptions {
  readonly reason?: string;
  readonly note?: string;
}

export function taskMoveCommand(
  operation: "task-escalate" | "task-cancel" | "task-resolve",
  name: string,
  options: ReasonOptions,
): Promise<0 | 2> {
  const { reason = "", note = "" } = options;
  return tellVerdict({ json: options.json, text: stateText(name) }, async () => {
    const task = await (operation === "task-cancel" ? onlyName(name) : wholeName(name));
    return operation === "task-resolve"
      ? ask(operation, { task, note }, options)
      : ask(operation, { task, reason }, options);
  });
}

/** Uses the name that the person typed, unless the task has a new one. */
function stateText(name: string) {
  return ({ details }: Verdict) => {
    const key = String(details?.task_id ?? name);
    const shown = key === name || idOfKey(key) === name ? name : idOfKey(key);
    return `task ${shown} ${details?.dry_run === true ? "would be" : "is"} ${String(details?.state)}`;
  };
}
