import { expect, it } from "vitest";
import type { AgentClient, AgentEnd } from "../src/clients/agent.ts";
import { assignmentOf, universalInput } from "../src/clients/input/universal-input.ts";
import { Heartbeats } from "../src/run/attempt/heartbeats.ts";
import { askToMend } from "../src/run/conduct/ask-to-mend.ts";
import { singlePlan } from "../src/session/meta-task.ts";
import { dispatch, memoryEngine, packet, person } from "./support/memory-engine.ts";

/** A client that uses a tool again and again until it is stopped, or so often. */
function busyClient(toolsMax: number, told: { tools: number }): AgentClient {
  return {
    passes: [],
    probe: async () => ({ usable: false, why: "missing", reason: "it is never asked" }),
    start: ({ onEvent }) => {
      const { promise: ended, resolve } = Promise.withResolvers<AgentEnd>();
      let isStopped = false;
      const step = () => {
        if (isStopped) return resolve({ how: "stopped" });
        if (told.tools === toolsMax) return resolve({ how: "done", answer: undefined });
        told.tools += 1;
        onEvent({ type: "tool", name: "Bash", text: `step ${told.tools}`, input: { step: told.tools } });
        setImmediate(step);
      };
      setImmediate(step);
      return {
        ended,
        stop: async () => {
          isStopped = true;
        },
      };
    },
  };
}

it.each([
  [12, 12],
  [500, 20],
])("an agent that would take %i turns to mend what a hook found gets %i", async (wanted, given) => {
  const engine = await memoryEngine();
  await dispatch(engine, packet("T-1", ["src"]));
  const told = { tools: 0 };
  const [plan] = singlePlan({ id: "T-1", title: "x", goal: "x", acceptance_checks: ["cmd: true"] }).tasks;
  if (plan === undefined) throw new Error("there is a task");
  const assignment = assignmentOf(plan, "worklogs/T-1.md");
  const facts = { assignment, attempt: 1, fixDelta: null, branch: "main", projectType: "lib", role: "Coder" };
  const can = { resume: false, hooks: false, usage: false, cost: false, model: false, structured: false };
  const call = { ...person, epoch: 1 };
  const mend = askToMend(
    {
      engine,
      session: "s",
      repository: { root: "/" },
      config: { workspace: { env_pass: [] }, limits: { minutes: { halt: 1 } } },
      onTask: () => {},
    } as unknown as Parameters<typeof askToMend>[0],
    {
      task: { key: "T-1", plan },
      agent: { name: "busy", role: "Coder", can, client: busyClient(wanted, told) },
      place: { checkout: { folder: "/" }, walled: false, enter: () => new DisposableStack() },
      input: universalInput(plan, facts),
      env: {},
      heartbeats: new Heartbeats({ engine }, { task: "T-1", call, stop: new AbortController().signal }),
    } as unknown as Parameters<typeof askToMend>[1],
    undefined,
  );
  await mend("mend it", { maxTurns: 20 });
  expect(told.tools).toBe(given);
});
