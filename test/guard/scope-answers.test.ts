import { expect, it } from "vitest";
import { operate } from "../../src/engine/operate.ts";
import { agentEnvironment, type Dispatched, guardedRepository } from "../support/guarded-repository.ts";
import { shellPayload } from "../support/sandboxed-call.ts";

async function opened() {
  const repository = guardedRepository();
  const own = await repository.dispatch("T-A", ["src/a/**"]);
  const other = await repository.dispatch("T-B", ["src/b/**"]);
  const ask = (path: string) =>
    repository.withEngine(async (engine) => {
      const call = { role: "attempt", ...own } as const;
      const asking = { ...engine, limits: { ...engine.limits, widen: "ask" as const } };
      const asked = await operate(asking, "widen", { task: "T-A", paths: [path], why: "needed" }, call);
      return String(asked.details?.decision);
    });
  const say = (id: string, answer: string) =>
    repository.withEngine((engine) => operate(engine, "decide", { id, answer }, { role: "person" }));
  const call = async (command: string, { event = "PreToolUse", task = own }: Call = {}) => {
    const more = { hook_event_name: event, ...(event === "PostToolUse" ? { tool_response: {} } : {}) };
    const payload = shellPayload(repository.path, command, more);
    const { stdout, stderr } = await repository.guard(payload, { env: agentEnvironment(task) });
    return stdout + stderr;
  };
  return { repository, other, ask, say, call, [Symbol.dispose]: () => repository[Symbol.dispose]() };
}

interface Call {
  readonly event?: string;
  readonly task?: Dispatched;
}

const after = { event: "PostToolUse" };

it("a person's answer to a request for scope is added to the next result, once, for the agent that asked", async () => {
  using at = await opened();
  const id = await at.ask("docs/guide.md");
  expect(await at.call("ls", after)).toBe("");
  expect(await at.say(id, "approved")).toMatchObject({ allow: true });
  expect(await at.call("ls", { ...after, task: at.other })).toBe("");
  expect(await at.call("ls")).toBe(""); // a client has no field for it here
  const output = JSON.parse(await at.call("ls", after));
  expect(output.hookSpecificOutput.additionalContext).toBe(
    `Lockstep: a person approved ${id}: you may now also write \`docs/guide.md\`.`,
  );
  expect(await at.call("ls", after)).toBe("");
});

it("or to the reason of a refusal that comes first", async () => {
  using at = await opened();
  const id = await at.ask("docs/guide.md");
  expect(await at.say(id, "refused")).toMatchObject({ allow: true });
  const refusal = `Lockstep: a person refused ${id}: continue without \`docs/guide.md\`.`;
  expect(await at.call("rm docs/guide.md")).toContain(refusal);
  expect(await at.call("rm docs/guide.md")).not.toContain(refusal);
});
