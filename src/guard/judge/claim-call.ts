import type { ToolCall } from "../../contract/tool-call.ts";
import { deny } from "../../core/rules/verdict.ts";
import type { GuardStore, GuardWorld, Judged } from "../world/guard-world.ts";
import { agentOf, type Caller } from "../world/who-is-calling.ts";
import { passed, refused } from "./answers.ts";
import { rememberBeginning } from "./judge-stop.ts";

const claim = /^\s*lockstep\s+claim\s+((?:[\w-]+\/)?[A-Za-z][\w-]*)(?:\s+--json)?\s*$/;

/** The task that a call claims. The command must be exactly `lockstep claim TASK`. */
export function claimedTask({ event, operation }: ToolCall): string | undefined {
  if (event !== "before-tool" || operation.kind !== "shell") return undefined;
  return claim.exec(operation.command)?.[1];
}

/** True for a call that ends a task. All earlier calls must be compared before it runs. */
export function handsIn({ operation }: ToolCall): boolean {
  return operation.kind === "shell" && /\blockstep\s+(?:submit|done)\b/.test(operation.command);
}

interface Claiming {
  readonly caller: Caller;
  readonly store: GuardStore | undefined;
  readonly world: GuardWorld;
}

/**
 * The guard binds the calling agent when it sees this call, because the command itself cannot know which agent runs it.
 */
export async function judgeClaim(
  call: ToolCall,
  task: string,
  { caller, store, world }: Claiming,
): Promise<Judged> {
  const agent = agentOf(call);
  if (store === undefined)
    return refused(
      caller,
      deny(
        "R-IN-001",
        `there is no task \`${task}\`: no task was dispatched in this project; see \`lockstep status\``,
      ),
    );
  if (agent === null)
    return refused(
      caller,
      deny(
        "R-IN-001",
        `the client names neither an agent nor a session, so task \`${task}\` cannot be bound: run \`lockstep doctor\``,
      ),
    );
  const verdict = await store.bind(agent, task);
  if (!verdict.allow) return refused(caller, verdict);
  const { task_id: key, epoch, scope } = verdict.details;
  await rememberBeginning({ key, epoch }, call, { world });
  return passed(caller, {
    context: `You now work on task ${key} and may write: ${scope.join(", ")}.`,
  });
}
