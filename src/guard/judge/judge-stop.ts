import type { ToolCall } from "../../contract/tool-call.ts";
import { deny } from "../../core/rules/verdict.ts";
import type { Judged } from "../world/guard-world.ts";
import type { Caller } from "../world/who-is-calling.ts";
import { passed } from "./answers.ts";
import { limitsOf, limitsWithoutTask } from "./call-limits.ts";
import type { Judging } from "./judge-task-call.ts";
import { violationOf } from "./refuse-and-record.ts";
import { changedSince, rememberTree } from "./watched-changes.ts";

/** A client gives up after a few refused stops anyway. */
const sentBackMax = 2;

type Worker = Extract<Caller, { kind: "task" }>;

/** What the tree was when an agent took its task up, for as long as nothing is remembered of it yet. */
export async function rememberBeginning(
  task: { readonly key: string; readonly epoch: number },
  call: ToolCall,
  { world }: Pick<Judging, "world">,
): Promise<void> {
  if (isStarted(world) || (await world.trees?.compare(nameOf(task))) !== undefined) return;
  await rememberTree(nameOf(task), call, world);
}

/**
 * An agent with a task hands in a result before it stops: until then PostExecution's checks are run on what can be
 * known, and what is missing is told. After a few times it is let go, and that is kept.
 */
export async function judgeStop(caller: Worker, judging: Judging): Promise<Judged> {
  const { call, desk, world } = judging;
  const { id, state } = caller.holder;
  if (isStarted(world)) return passed(caller);
  if (state !== "IN_PROGRESS") return passed(caller);
  const missing = await findMissing(caller, judging);
  const refusal = deny("R-PO-001", missing.join("; "));
  const violation = violationOf(caller, call, { kind: "sent-back", refusal, target: id });
  const { times } = await desk.record(violation);
  if (times === sentBackMax + 1) await desk.record({ ...violation, kind: "let-go" });
  if (times > sentBackMax) return passed(caller);
  return {
    ...passed(caller),
    answer: { allow: false, reason: refusal.reason, goOn: refusal.reason },
  };
}

async function findMissing({ holder }: Worker, judging: Judging): Promise<readonly string[]> {
  const { world, desk, settings } = judging;
  const changed = (await changedSince(nameOf(holder), world, settings))?.paths ?? [];
  // What another task holds may be its work, and what nobody holds a person's: the agent knows.
  const { lock } = limitsOf(holder, judging);
  const { forbidden: held } = limitsWithoutTask(judging, "locked");
  const own = changed.filter((path) => lock.entryOf(path) !== undefined || held.entryOf(path) === undefined);
  const work = await desk.judgeWork(holder.key, own);
  const rest = await desk.judgeWork(holder.key, []);
  const strayed = work.allow || (!rest.allow && rest.reason === work.reason) ? [] : [work];
  const submit = `task \`${holder.id}\` is not handed in yet: \`lockstep submit ${holder.id} FILE\``;
  return [
    ...strayed.map(({ code, reason }) => `${code}: ${reason}; if that was this task, put it back`),
    ...(rest.allow ? [] : [`${rest.code}: ${rest.reason}`]),
    `${submit} with what was done, or with what blocks it; FILE holds ${resultForm}`,
  ];
}

/** What `submit` reads, for an agent that has not seen its schema (`lockstep schema post-execution`). */
const resultForm =
  '{"status":"done","changes":[{"resource":"PATH","action":"edit"}],"acceptance_check":[{"criterion":"as in the task","status":"pass","evidence":"what shows it"}],"notes_for_orchestrator":[]}';

/** Agents that Lockstep started are asked by whoever started them. */
function isStarted({ checkout, environment }: Judging["world"]): boolean {
  return checkout !== undefined || Boolean(environment.LOCKSTEP_SOCKET);
}

function nameOf({ key, epoch }: { readonly key: string; readonly epoch: number }): string {
  return `task ${key} ${epoch}`;
}
