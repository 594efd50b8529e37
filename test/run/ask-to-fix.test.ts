import { expect, it } from "vitest";
import type { AgentClient, AgentEnd } from "../../src/clients/agent.ts";
import { assignmentOf, universalInput } from "../../src/clients/input/universal-input.ts";
import { Heartbeats } from "../../src/run/attempt/heartbeats.ts";
import { askToFix } from "../../src/run/conduct/task/ask-to-fix.ts";
import { singlePlan } from "../../src/session/roles/meta-task.ts";
import { dispatch, memoryEngine, packet, person } from "../support/memory-engine.ts";

/** A client that uses `toolsMax` tools, or `late` more after it is stopped. */
function busyClient(toolsMax: number, used: { tools: number }, late: number): AgentClient {
  return {
    passes: [],
    probe: async () => ({ usable: false, why: "missing", reason: "it is never asked" }),
    start: ({ onEvent }) => {
      const { promise: ended, resolve } = Promise.withResolvers<AgentEnd>();
      let left = Number.POSITIVE_INFINITY;
      const step = () => {
        if (left === 0) return resolve({ how: "stopped" });
        if (used.tools === toolsMax) return resolve({ how: "done", answer: undefined });
        used.tools += 1;
        left -= 1;
        onEvent({ type: "tool", name: "Bash", text: `step ${used.tools}`, input: { step: used.tools } });
        setImmediate(step);
      };
      setImmediate(step);
      return {
        ended,
        stop: async () => {
          left = Math.min(left, late);
        },
      };
    },
  };
}

it.each([
  [12, 12, 0],
  [500, 20, 0],
  [500, 23, 3],
])("an agent that would take %i turns to fix the findings of a hook gets %i", async (wanted, given, late) => {
  const engine = await memoryEngine();
  await dispatch(engine, packet("T-1", ["src"]));
  const used = { tools: 0 };
  const [plan] = singlePlan({ id: "T-1", title: "x", goal: "x", acceptance_checks: ["cmd: true"] }).tasks;
  if (plan === undefined) throw new Error("there is a task");
  const assignment = assignmentOf(plan, "worklogs/T-1.md");
  const facts = { assignment, attempt: 1, fixDelta: null, branch: "main", projectType: "lib", role: "Coder" };
  const can = { resume: false, hooks: false, usage: false, cost: false, model: false, structured: false };
  const call = { ...person, epoch: 1 };
  const fix = askToFix(
    {
      engine,
      session: "s",
      repository: { root: "/" },
      config: { workspace: { env_pass: [] }, limits: { minutes: { halt: 1 } } },
    } as unknown as Parameters<typeof askToFix>[0],
    { plan },
    {
      agent: { name: "busy", role: "Coder", can, client: busyClient(wanted, used, late) },
      place: { checkout: { folder: "/" }, sandboxed: false, enter: () => new DisposableStack() },
      input: universalInput(plan, facts),
      env: {},
      tell: () => {},
      watch: new Heartbeats({ engine }, { task: "T-1", call, stop: new AbortController().signal }),
    } as unknown as Parameters<typeof askToFix>[2],
    undefined,
  );
  await fix("fix it", { maxTurns: 20 });
  expect(used.tools).toBe(given);
});
