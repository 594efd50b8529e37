import { allow, type Details, deny, type Verdict } from "../core/rules/verdict.ts";
import type { Task } from "../core/tasks/task.ts";
import { downUpstream, orphanOf } from "./carry-effects.ts";
import { Draft } from "./draft.ts";
import type { Call, Engine } from "./engine.ts";
import { findCircle } from "./find-circle.ts";
import { newTask } from "./new-task.ts";
import { readPacket } from "./read-packet.ts";
import { maskedInput, settle } from "./settle.ts";

/** A task by hand: PENDING until somebody dispatches it. */
export async function addTask(
  engine: Engine,
  input: { readonly packet: Details },
  call: Call,
): Promise<Verdict> {
  const packet = readPacket(await maskedInput(input.packet));
  if ("allow" in packet) return packet;
  return settle(engine, { operation: "task-add", input, call }, async () => {
    const { key } = packet.name;
    const stored = await engine.ledger.task(key);
    if (stored !== undefined)
      return {
        verdict: deny("R-ST-001", `task \`${key}\` exists and is ${stored.state}`, { state: stored.state }),
      };
    const draft = new Draft(engine, { by: call, cause: "task-add" });
    const task: Task = {
      ...newTask(packet.name, draft.at),
      title: packet.title,
      model: packet.model,
      agent: packet.agent,
      assignment: packet.assignment,
      contextRevision: packet.contextRevision,
      dependsOn: packet.dependsOn ?? [],
    };
    const circle = await findCircle(draft, task);
    if (circle !== undefined) return { verdict: circle };
    draft.create(task);
    const down = await downUpstream(draft, task);
    const added = down === undefined ? task : await draft.apply(task, orphanOf(task, down), "system");
    if ("allow" in added) return { verdict: added };
    const change = await draft.toChange({ expect: { tasks: await versions(draft, task) } });
    return { verdict: allow({ task_id: key, state: added.state }), change };
  });
}

/** A dependency that fails meanwhile must not be missed. */
async function versions(draft: Draft, { dependsOn }: Task): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const key of dependsOn) found[key] = (await draft.task(key))?.version ?? 0;
  return found;
}
