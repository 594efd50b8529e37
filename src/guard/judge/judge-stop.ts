import type { ToolCall } from "../../contract/tool-call.ts";
import { deny } from "../../core/rules/verdict.ts";
import type { Judged } from "../world/guard-world.ts";
import type { Caller } from "../world/who-is-calling.ts";
import { passed } from "./answers.ts";
import { limitsOf, limitsWithoutTask } from "./call-limits.ts";
import type { Judging } from "./judge-task-call.ts";
import { violationOf } from "./refuse-and-record.ts";
import { changedSince, rememberTree } from "./watched-changes.ts";

/** Clients give up after a few refused stops anyway. */
const sentBackMax = 2;

type Worker = Extract<Caller, { kind: "task" }>;

/** Records the tree when an agent takes up its task, unless it is recorded already. */
export async function rememberBeginning(
  task: { readonly key: string; readonly epoch: number },
  call: ToolCall,
  { world }: Pick<Judging, "world">,
): Promise<void> {
  if (isStarted(world) || (await world.trees?.compare(nameOf(task))) !== undefined) return;
  await rememberTree(nameOf(task), call, world);
}

/**
 * An agent with a task must submit a result before it stops. Until then, the PostExecution checks run on what is known,
 * and the agent gets a list of what is missing. After `sentBackMax` refusals it may stop, and that is recorded.
 */
export async function judgeStop(caller: Worker, judging: Judging): Promise<Judged> {
  const { call, store, world } = judging;
  const { id, state } = caller.holder;
  if (isStarted(world)) return passed(caller);
  if (state !== "IN_PROGRESS") return passed(caller);
  const missing = await findMissing(caller, judging);
  const refusal = deny("R-PO-001", missing.join("; "));
  const violation = violationOf(caller, call, { kind: "sent-back", refusal, target: id });
  const { times } = await store.record(violation);
  if (times === sentBackMax + 1) await store.record({ ...violation, kind: "let-go" });
  if (times > sentBackMax) return passed(caller);
  return {
    ...passed(caller),
    answer: { allow: false, reason: refusal.reason, goOn: refusal.reason },
  };
}

async function findMissing({ holder }: Worker, judging: Judging): Promise<readonly string[]> {
  const { world, store, settings } = judging;
  const changed = (await changedSince(nameOf(holder), world, settings))?.paths ?? [];
  // A path in another task's lock may be that task's work, and an unlocked path a person's. Only the agent knows.
  const { lock } = limitsOf(holder, judging);
  const { forbidden: held } = limitsWithoutTask(judging, "locked");
  const own = changed.filter((path) => lock.entryOf(path) !== undefined || held.entryOf(path) === undefined);
  const work = await store.judgeWork(holder.key, own);
  const rest = await store.judgeWork(holder.key, []);
  const strayed = work.allow || (!rest.allow && rest.reason === work.reason) ? [] : [work];
  const submit = `task \`${holder.id}\` has no result yet: run \`lockstep submit ${holder.id} FILE\``;
  return [
    ...strayed.map(({ code, reason }) => `${code}: ${reason}; if this task changed it, put it back`),
    ...(rest.allow ? [] : [`${rest.code}: ${rest.reason}`]),
    `${submit} with what was done, or with what blocks it; FILE holds ${resultForm}`,
  ];
}

/** The format that `submit` reads, for an agent that has not seen its schema (`lockstep schema post-execution`). */
const resultForm =
  '{"status":"done","changes":[{"resource":"PATH","action":"edit"}],"acceptance_check":[{"criterion":"as in the task","status":"pass","evidence":"what shows it"}],"notes_for_orchestrator":[]}';

/** The stop of an agent that Lockstep started is handled by the process that started it. */
function isStarted({ checkout, environment }: Judging["world"]): boolean {
  return checkout !== undefined || Boolean(environment.LOCKSTEP_SOCKET);
}

function nameOf({ key, epoch }: { readonly key: string; readonly epoch: number }): string {
  return `task ${key} ${epoch}`;
}
