import { factsOf, rules } from "../../core/points/pre-dispatch.ts";
import { decide } from "../../core/rules/rule.ts";
import { allow, type Deny, type Details, deny, type Verdict } from "../../core/rules/verdict.ts";
import type { Task } from "../../core/tasks/task.ts";
import { isObject } from "../../core/values/fields.ts";
import { downUpstream, orphanOf } from "../change/carry-effects.ts";
import type { Admitted } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { maskedPacket } from "../change/masked-input.ts";
import { settle } from "../change/settle.ts";
import { dependencyVersions, findCircle } from "../dispatch/find-circle.ts";
import { newTask } from "../dispatch/new-task.ts";
import { type Packet, readPacket } from "../dispatch/read-packet.ts";

/** Adds a task manually: it is PENDING until it is dispatched. */
export async function addTask(
  engine: Engine,
  input: { readonly packet: Details },
  call: Admitted,
): Promise<Verdict> {
  const packet = await readTerms(engine, input.packet);
  if ("allow" in packet) return packet;
  return settle(engine, { operation: "task-add", input, call }, async () => {
    const { key } = packet.name;
    const stored = await engine.ledger.task(key);
    if (stored !== undefined)
      return {
        verdict: deny("R-ST-001", `task \`${key}\` already exists and is ${stored.state}`, {
          state: stored.state,
        }),
      };
    const draft = new Draft(engine, { by: call, cause: "task-add" });
    const task: Task = {
      ...newTask(packet.name, draft.at),
      ...termsIn(packet),
      contextRevision: packet.contextRevision,
    };
    const circle = await findCircle(draft, task);
    if (circle !== undefined) return { verdict: circle };
    draft.create(task);
    const down = await downUpstream(draft, task);
    const added = down === undefined ? task : await draft.apply(task, orphanOf(task, down), "system");
    if ("allow" in added) return { verdict: added };
    const tasks = await dependencyVersions(draft, task);
    await announce(draft, task);
    const change = await draft.toChange({ expect: { tasks } });
    return { verdict: allow({ task_id: key, state: added.state }), change };
  });
}

/** Reads the terms that a person sets for a task, and refuses terms that cannot be met. */
export async function readTerms(engine: Engine, document: Details): Promise<Packet | Deny> {
  const masked = await maskedPacket(document);
  if ("allow" in masked) return masked;
  const packet = readPacket(masked.packet);
  return "allow" in packet ? packet : ((await findBadScopes(engine, packet)) ?? packet);
}

export function termsIn({ title, type, model, agent, assignment, document, dependsOn }: Packet) {
  const { task_id: _id, ...terms } = document;
  return { title, type: type ?? null, model, agent, assignment, terms, dependsOn: dependsOn ?? [] };
}

/** A failing dependency must know its dependents: it gets a new version with this change. */
async function announce(draft: Draft, { dependsOn }: Task): Promise<void> {
  for (const key of dependsOn) {
    const dependency = await draft.task(key);
    if (dependency !== undefined && dependency.state !== "MERGED") draft.putTask(dependency);
  }
}

/** Refuses terms that no packet could ever meet; missing fields can still be added later. */
export async function findBadScopes({ world }: Engine, { document }: Packet): Promise<Deny | undefined> {
  const own = isObject(document.assignment) ? document.assignment : {};
  const given = { lock_scope: ["."], forbidden_scope: [], ...own };
  const facts = factsOf({ assignment: given }, world);
  const verdict = await decide(
    rules.filter(({ code }) => code === "R-PD-002" || code === "R-PD-004"),
    facts,
  );
  return verdict.allow ? undefined : verdict;
}
