import type { ToolCall } from "../../contract/tool-call.ts";
import { deny } from "../../core/rules/verdict.ts";
import type { GuardDesk, GuardWorld, Judged } from "../world/guard-world.ts";
import { agentOf, type Caller } from "../world/who-is-calling.ts";
import { passed, refused } from "./answers.ts";
import { rememberBeginning } from "./judge-stop.ts";

const claim = /^\s*lockstep\s+claim\s+((?:[\w-]+\/)?[A-Za-z][\w-]*)(?:\s+--json)?\s*$/;

/** The task that a call claims: nothing but `lockstep claim TASK`, alone on its line. */
export function claimedTask({ event, operation }: ToolCall): string | undefined {
  if (event !== "before-tool" || operation.kind !== "shell") return undefined;
  return claim.exec(operation.command)?.[1];
}

/** A call that ends a task: what its earlier calls did has to be known. */
export function handsIn({ operation }: ToolCall): boolean {
  return operation.kind === "shell" && /\blockstep\s+(?:submit|done)\b/.test(operation.command);
}

interface Claiming {
  readonly caller: Caller;
  readonly desk: GuardDesk | undefined;
  readonly world: GuardWorld;
}

/** Seeing this call, the guard binds the agent that makes it: the command itself cannot know whose it is. */
export async function judgeClaim(
  call: ToolCall,
  task: string,
  { caller, desk, world }: Claiming,
): Promise<Judged> {
  const agent = agentOf(call);
  if (desk === undefined)
    return refused(caller, deny("R-IN-001", `there is no task \`${task}\`: none was dispatched`));
  if (agent === null)
    return refused(
      caller,
      deny("R-IN-001", "the client does not say which of its agents or sessions this is"),
    );
  const verdict = await desk.bind(agent, task);
  if (!verdict.allow) return refused(caller, verdict);
  const { task_id: key, epoch, scope } = verdict.details;
  await rememberBeginning({ key, epoch }, call, { world });
  return passed(caller, {
    context: `You work on task ${key} now and may write: ${scope.join(", ")}.`,
  });
}
