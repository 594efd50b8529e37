import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentStart } from "../../src/clients/agent.ts";
import { commandAgent } from "../../src/clients/command/run.ts";
import { ownProgram, scriptAgent } from "../../src/clients/script/run.ts";
import { isHeld } from "../support/held-file.ts";
import { eventually, temporaryRepository } from "../support/run-command.ts";
import { missing, sandboxed, settings } from "../support/sandboxed.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";
import { started, startWith } from "./started-agent.ts";

/** Runs a script in the folder of the script. */
async function performed(folder: TemporaryFolder, yaml: string, more: Partial<AgentStart> = {}) {
  folder.write("script.yaml", yaml);
  const client = scriptAgent({ script: "script.yaml", root: folder.path });
  return started(client, { folder: folder.path, input: { attempt: 1, fix_delta: null }, ...more });
}

describe("a scripted agent", () => {
  it("does its steps in order", async () => {
    using folder = temporaryRepository();
    const { end, events } = await performed(
      folder,
      `steps:
        - say: to work
        - write: { path: src/a.txt, text: "one\\n" }
        - append: { path: src/a.txt, text: "two\\n" }
        - write: { path: src/b.txt, text: gone }
        - delete: src/b.txt
        - link: { path: src/c.txt, to: a.txt }
        - run: { command: "cat src/c.txt" }
        - git: [add, src]
        - git: [status, --short, src]
        - loop: { times: 2, steps: [{ say: again }] }
        - sleep: 0.05
        - usage: { tokens: 12, cost_usd: 0.5 }
        - answer: { status: OK, summary: done }
      `,
    );
    expect(events).toEqual([
      ...["to work", "one", "two", "A  src/a.txt", "A  src/c.txt", "again", "again"].map((text) => ({
        type: "said",
        text,
      })),
      { type: "usage", tokens: 12, costUsd: 0.5 },
      { type: "said", text: '{"status":"OK","summary":"done"}' },
    ]);
    expect(end).toEqual({ how: "done", answer: { status: "OK", summary: "done" } });
    expect(existsSync(join(folder.path, "src/b.txt"))).toBe(false);
    expect(readlinkSync(join(folder.path, "src/c.txt"))).toBe("a.txt");
  });

  it("runs the steps of its attempt, or the last ones, and prints what it must fix", async () => {
    using folder = temporaryFolder();
    const yaml = "attempts: [[{ say: first }], [{ say: second }]]";
    const said = async (input: unknown) => (await performed(folder, yaml, { input })).said;
    expect(await said({ attempt: 1, fix_delta: null })).toEqual(["first"]);
    const fix_delta = { reason: "no test" };
    expect(await said({ attempt: 2, fix_delta })).toEqual(["to fix: no test", "second"]);
    expect(await said({ attempt: 5, fix_delta })).toEqual(["to fix: no test", "second"]);
  });

  it("prints what failed and continues", async () => {
    using folder = temporaryFolder({ file: "" });
    const { end, said } = await performed(
      folder,
      `steps:
        - write: { path: file/a, text: x }
        - delete: nothing
        - run: { command: "exit 7" }
        - git: [no-such-command]
        - answer: { status: OK }
      `,
    );
    expect(said.filter((line) => line.includes(" failed: "))).toEqual([
      expect.stringMatching(/^write failed: E(?:EXIST|NOTDIR)/),
      expect.stringContaining("delete failed: ENOENT"),
      "run failed: exit code 7",
      "git failed: exit code 1",
    ]);
    expect(end).toEqual({ how: "done", answer: { status: "OK" } });
  });

  it("ends at `exit`, even inside a loop", async () => {
    using folder = temporaryFolder();
    const { end, said } = await performed(
      folder,
      "steps: [{ loop: { steps: [{ say: a }, { exit: 4 }] } }, { say: b }]",
    );
    expect(end).toMatchObject({ how: "failed", reason: expect.stringContaining("exit code 4") });
    expect(said).toEqual(["a"]);
  });

  it.each([
    ["hangs", "hang"],
    ["loops", "loop: { steps: [{ say: again }] }"],
    ["waits for a command", 'run: { command: "sleep 60" }'],
  ])("that %s is ended at its time limit", async (_, step) => {
    using folder = temporaryFolder();
    const { end } = await performed(
      folder,
      `steps: [{ say: a }, { ${step.replace(/^hang$/, "hang: true")} }]`,
      {
        msMax: 1500,
        onEvent: () => {},
      },
    );
    expect(end).toMatchObject({ how: "failed", reason: expect.stringContaining("timeout of 1.5 seconds") });
  });

  it("may leave a process in a session of its own, which continues without a sandbox", async () => {
    using folder = temporaryFolder();
    const child = join(folder.path, "child");
    const command = "flock child sh -c 'echo > up; until [ -e go ]; do sleep 0.02; done'";
    const { end } = await performed(
      folder,
      `steps: [{ spawn: { command: "${command}" } }, { answer: { a: 1 } }]`,
    );
    expect(end).toMatchObject({ how: "done" });
    await eventually("it is up", () => existsSync(join(folder.path, "up")) || undefined);
    expect(isHeld(child)).toBe(true);
    folder.write("go", "");
    await eventually("its end", () => !isHeld(child) || undefined);
  });
});

describe("a script", () => {
  it.each<[string, string]>([
    ["", "give a list of `steps`"],
    ["steps: []", "give a list of `steps`"],
    ["steps: [{ say: a }]\nattempts: []", "give a list of `steps`"],
    ["stages: [{ say: a }]", "`stages` is not a key of a script"],
    ["steps: [{ apend: { path: a, text: b } }]", "steps[0]: `apend` is not a step: did you mean `append`?"],
    ["steps: [{ say: a, exit: 1 }]", "steps[0] is not one step"],
    ["steps: [say]", "steps[0] is not one step"],
    ["steps: [{ write: { path: a } }]", "steps[0]: `write` needs `{path, text}`"],
    ["steps: [{ say: a }, { sleep: -1 }]", "steps[1]: `sleep` needs a number of seconds"],
    ["steps: [{ exit: 256 }]", "`exit` needs a number from 0 to 255"],
    ["attempts: [[{ say: a }], [{ loop: { steps: [{ sy: b }] } }]]", "attempts[1][0].loop.steps[0]: `sy`"],
    ["steps: [", "it is not valid YAML"],
  ])("that is %j is not usable, and no step of it runs", async (yaml, reason) => {
    using folder = temporaryFolder({ "script.yaml": yaml });
    const client = scriptAgent({ script: "script.yaml", root: folder.path });
    expect(await client.probe()).toEqual({
      usable: false,
      why: "broken",
      reason: expect.stringContaining(reason),
    });
  });

  it("that became invalid after the probe fails its agent, with the reason", async () => {
    using folder = temporaryFolder();
    const { end, said } = await performed(folder, "steps: [{ say: a }, { slep: 1 }]");
    expect(end).toMatchObject({ how: "failed", output: expect.stringContaining("did you mean `sleep`?") });
    expect(said).toHaveLength(1);
  });

  it("that is missing is not usable", async () => {
    expect(await scriptAgent({ script: "none.yaml", root: "/" }).probe()).toMatchObject({
      usable: false,
      why: "missing",
    });
  });

  it("that is valid is usable", async () => {
    using folder = temporaryFolder({ "script.yaml": "steps: [hang, { hang: true }, { answer: { a: 1 } }]" });
    const client = scriptAgent({ script: "script.yaml", root: folder.path });
    expect(await client.probe()).toMatchObject({ usable: true });
  });
});

describe.skipIf(missing !== undefined).each(settings)(
  "in the sandbox of $user $where, an agent",
  (setting) => {
    const yaml = (box: { place(name: string): string }) => `steps:
    - write: { path: inside.txt, text: x }
    - write: { path: ${box.place("main/outside.txt")}, text: x }
    - spawn: { command: "flock child sh -c 'echo > up; sleep 60'" }
    - run: { command: "until [ -e up ]; do sleep 0.02; done" }
    - say: up
    `;
    const start = (box: ReturnType<typeof sandboxed>, onEvent: AgentStart["onEvent"]) => {
      const run = [process.execPath, ownProgram(), box.place("checkout/script.yaml")];
      const client = commandAgent({ run, root: "/" });
      // The code of the agent may be in /tmp, which is another folder inside the sandbox.
      const readOnly = [...box.policy.readOnly, new URL("../..", import.meta.url).pathname];
      const wrap: AgentStart["wrap"] = (command) => box.wrapped(command, { readOnly });
      return client.start(startWith({ input: { attempt: 1 }, wrap, folder: "/", onEvent }));
    };

    it("reports what the policy refuses and continues; the process that it left behind ends with it", async () => {
      using box = sandboxed(setting);
      box.write("checkout/script.yaml", `${yaml(box)}- answer: { status: OK }`);
      const said: string[] = [];
      const agent = start(box, (event) => event.type === "said" && said.push(event.text));
      expect(await agent.ended).toEqual({ how: "done", answer: { status: "OK" } });
      expect(said[0]).toMatch(/^write failed: EROFS/);
      expect(readFileSync(box.place("checkout/inside.txt"), "utf8")).toBe("x");
      expect(existsSync(box.place("main/outside.txt"))).toBe(false);
      expect(existsSync(box.place("checkout/up"))).toBe(true);
      expect(isHeld(box.place("checkout/child"))).toBe(false);
    });

    it("that is stopped ends with every process that it left behind", async () => {
      using box = sandboxed(setting);
      box.write("checkout/script.yaml", `${yaml(box)}- hang`);
      let up = () => {};
      const running = new Promise<void>((resolve) => (up = resolve));
      const agent = start(box, (event) => event.type === "said" && event.text === "up" && up());
      await running;
      expect(isHeld(box.place("checkout/child"))).toBe(true);
      await agent.stop();
      expect(await agent.ended).toEqual({ how: "stopped" });
      // The kernel ends a namespace after the process that created it.
      await eventually("its end", () => !isHeld(box.place("checkout/child")) || undefined);
    });
  },
);
