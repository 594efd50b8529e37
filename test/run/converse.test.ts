import { describe, expect, it } from "vitest";
import type { AgentClient, AgentEnd, AgentEvent } from "../../src/clients/agent.ts";
import { assignmentOf, universalInput } from "../../src/clients/input/universal-input.ts";
import { converse } from "../../src/run/attempt/converse.ts";
import { purposes } from "../../src/run/attempt/purposes.ts";
import { OwnLimits } from "../../src/run/attempt/watch.ts";
import { singlePlan } from "../../src/session/roles/meta-task.ts";
import { KnownSecrets } from "../../src/workspace/checkouts/known-secrets.ts";
import { memoryEngine } from "../support/memory-engine.ts";

const secret = "correct-horse-battery";
const wrong: AgentEnd = { how: "done", answer: { status: "BLOCKED" } };
const prose: AgentEnd = { how: "done", answer: undefined };
const right: AgentEnd = { how: "done", answer: { status: "OK", key: secret } };
const broken: AgentEnd = { how: "failed", reason: "exit 3", output: secret };

interface Conversation {
  readonly purpose: keyof typeof purposes;
  /** How its starts end; the last entry repeats. */
  readonly ends: readonly AgentEnd[];
  readonly isClient?: boolean;
  readonly events?: readonly AgentEvent[];
}

/** The result of asking an agent whose starts end as given; only an answer `OK` can be used. */
async function ask({ purpose, ends, isClient = false, events = [] }: Conversation) {
  const { limits } = await memoryEngine({ limits: { tokens: { warn: 50, halt: 100 } } });
  const starts: { readonly prompt: string; readonly resume: string | undefined }[] = [];
  const said: string[] = [];
  let stops = 0;
  const stopped = async () => {
    stops += 1;
  };
  const client: AgentClient = {
    passes: [],
    probe: async () => ({ usable: false, why: "missing", reason: "it is never asked" }),
    start: ({ prompt, resume, onEvent }) => {
      const end = ends[Math.min(starts.length, ends.length - 1)] ?? wrong;
      starts.push({ prompt, resume });
      const ended = Promise.withResolvers<AgentEnd>();
      setImmediate(() => {
        if (isClient) onEvent({ type: "conversation", id: "c-1" });
        for (const event of events) onEvent(event);
        ended.resolve(end);
      });
      return { ended: ended.promise, stop: stopped };
    },
  };
  const [plan] = singlePlan({ id: "A", title: "x", goal: "x", acceptance_checks: ["cmd: true"] }).tasks;
  if (plan === undefined) throw new Error("there is a task");
  const facts = { attempt: 1, fixDelta: null, branch: "main", projectType: "lib", role: "Coder" };
  const can = { resume: isClient, hooks: false, usage: true, cost: true, model: false, structured: false };
  const secrets = new KnownSecrets();
  secrets.add(secret);
  const stop = new AbortController().signal;
  const warn = (text: string) => void said.push(text);
  const watch = new OwnLimits({ name: "a", limits, stop, warn });
  const talked = await converse(
    {
      config: { workspace: { env_pass: [] }, limits: { minutes: { halt: 1 } } },
      secrets,
    } as unknown as Parameters<typeof converse>[0],
    {
      ...{ purpose: purposes[purpose], env: {}, watch, stop, prompt: "do it" },
      agent: { name: "a", role: "Coder", model: null, client, can, isClient, reworks: "resume" },
      place: { checkout: { folder: "/" }, sandboxed: false, enter: () => new DisposableStack() } as never,
      input: universalInput(plan, { ...facts, assignment: assignmentOf(plan, "w.md") }),
      tell: (event) => void (event.type === "said" && said.push(event.text)),
      read: async (answer) => {
        const found = answer as { readonly status?: string } | undefined;
        return found?.status === "OK" ? { answer } : { invalid: "it is not OK" };
      },
    },
  );
  return { talked, starts, said, stops };
}

describe("an agent whose answers cannot be used", () => {
  it.each<[Conversation["purpose"], "client" | "program", string, number]>([
    ["work", "program", "failed", 3],
    ["work", "client", "unanswered", 2],
    ["fix", "program", "silent", 1],
    ["fix", "client", "silent", 1],
    ["judge", "program", "failed", 3],
    ["judge", "client", "failed", 3],
    ["write-files", "program", "failed", 3],
    ["write-files", "client", "failed", 3],
  ])("for the purpose `%s`, as a %s, has %s after %i starts", async (purpose, kind, how, count) => {
    const { talked, starts } = await ask({ purpose, ends: [wrong], isClient: kind === "client" });
    expect([talked.how, starts.length]).toEqual([how, count]);
    const again = starts.slice(1).map(({ prompt, resume }) => [prompt.includes("it is not OK"), resume]);
    expect(again).toEqual(
      starts.slice(1).map(() => (kind === "client" ? [true, "c-1"] : [false, undefined])),
    );
  });

  it.each<[Conversation["purpose"], string]>([
    ["work", "silent"],
    ["judge", "failed"],
    ["write-files", "failed"],
  ])("that only prints prose, as a program for the purpose `%s`, has %s", async (purpose, how) => {
    expect((await ask({ purpose, ends: [prose] })).talked.how).toBe(how);
  });

  it.each(["work", "judge", "write-files"] as const)(
    "for the purpose `%s` may succeed on the second start",
    async (purpose) => {
      const { talked, starts } = await ask({ purpose, ends: [broken, right] });
      expect(talked).toMatchObject({ how: "answered", answer: { answer: { status: "OK" } } });
      expect(JSON.stringify(talked)).not.toContain(secret);
      expect(starts).toHaveLength(2);
    },
  );
});

describe("an agent that fails", () => {
  it.each<[Conversation["purpose"], number]>([
    ["work", 3],
    ["fix", 1],
    ["judge", 3],
    ["write-files", 3],
  ])(
    "is started for the purpose `%s` %i times, without resuming, and the reason is reported without secrets",
    async (purpose, count) => {
      const { talked, starts, said } = await ask({ purpose, ends: [broken], isClient: true });
      expect(talked).toMatchObject({ how: "failed", reason: "exit 3\n[secret: known]", starts: count });
      expect(starts).toEqual(Array(count).fill({ prompt: "do it", resume: undefined }));
      expect(said).toEqual(Array(count).fill("failed: exit 3\n[secret: known]"));
    },
  );
});

describe("an agent with limits of its own", () => {
  const bash: AgentEvent = { type: "tool", name: "Bash", text: "ls", input: { command: "ls" } };
  const refusedWrite = "hook error: R-PW-001: `lib/x.ts` lies outside the lock scope";

  it.each<[string, readonly AgentEvent[], string]>([
    [
      "tokens",
      [Number.NaN, 60, -50, 40].map((tokens) => ({ type: "usage", tokens })),
      "`a` has spent 100 tokens; its limit is 100",
    ],
    ["loops", Array(3).fill({ type: "tool-result", text: refusedWrite }), "`a` is in a loop: writing"],
  ])("is stopped by its %s limit, and its answer does not count", async (_, events, reason) => {
    const { talked, starts, stops } = await ask({ purpose: "judge", ends: [right], events });
    expect(talked).toMatchObject({ how: "over", lost: { code: "R-BG-001" } });
    expect(talked.how === "over" && talked.lost.reason).toContain(reason);
    expect([starts.length, stops]).toEqual([1, 1]);
  });

  it.each<[string, readonly AgentEvent[]]>([
    ["fewer tokens than its limit", [60, 39].map((tokens) => ({ type: "usage", tokens }))],
    ["too few repetitions for a loop", [bash, bash]],
  ])("continues with %s", async (_, events) => {
    expect((await ask({ purpose: "judge", ends: [right], events })).talked.how).toBe("answered");
  });

  it("is warned before it is stopped", async () => {
    const { talked, said } = await ask({ purpose: "judge", ends: [right], events: [bash, bash, bash] });
    expect(talked.how).toBe("answered");
    expect(said).toEqual([expect.stringMatching(/^warning: the agent called `Bash` 3 times/)]);
  });
});
