import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentStart } from "../../src/clients/agent.ts";
import { commandAgent } from "../../src/clients/command/run.ts";
import { eventually } from "../support/run-command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { PATH, started, startWith } from "./started-agent.ts";

const shell = (script: string, more?: Partial<AgentStart>) =>
  started(commandAgent({ run: ["sh", "-c", script], root: "/" }), more);

const alive = (pid: string) => existsSync(`/proc/${pid.trim()}`);

describe("a program that is an agent", () => {
  it("is usable if it is found on PATH", async () => {
    expect(await commandAgent({ run: ["sh"], root: "/" }).probe()).toEqual({
      usable: true,
      version: null,
      can: { resume: false, hooks: false, usage: true, cost: true, model: false, structured: false },
    });
  });

  it("is usable by its path from the project's root, if that is an executable file", async () => {
    using project = temporaryFolder({ "agents/qa.sh": "#!/bin/sh\n" });
    const probe = (program: string) => commandAgent({ run: [program], root: project.path }).probe();
    expect(await probe("agents/qa.sh")).toMatchObject({ usable: false, why: "broken" });
    chmodSync(join(project.path, "agents/qa.sh"), 0o755);
    expect(await probe("agents/qa.sh")).toMatchObject({ usable: true });
    expect(await probe("./agents")).toMatchObject({ usable: false, why: "missing" });
    expect(await probe("qa.sh")).toEqual({
      usable: false,
      why: "missing",
      reason: "`qa.sh` is not on PATH: install it, or correct the agent's `run`",
    });
  });

  it("is started by that path even if it works in another folder", async () => {
    using project = temporaryFolder({ "agents/qa.sh": "#!/bin/sh\npwd\n", "checkout/a": "" });
    chmodSync(join(project.path, "agents/qa.sh"), 0o755);
    const folder = join(project.path, "checkout");
    const { said } = await started(commandAgent({ run: ["agents/qa.sh"], root: project.path }), { folder });
    expect(said).toEqual([folder]);
  });

  it("gets the same instructions for its role as a client", async () => {
    using project = temporaryFolder({ ".lockstep/roles/qa.md": "Try everything." });
    const agent = commandAgent({ run: ["sh", "-c", "cat > input"], root: project.path });
    await started(agent, { input: { role: "QA", task: {} }, folder: project.path });
    expect(JSON.parse(readFileSync(join(project.path, "input"), "utf8"))).toEqual({
      ...{ role: "QA", task: {}, role_prompt: "Try everything." },
    });
  });

  it("gets its task as one document on stdin, in its folder, with its own environment only", async () => {
    using folder = temporaryFolder();
    const input = { task: { id: "T-1", goal: 'say "é"\n' } };
    const { end } = await shell(`pwd > where; env > env; cat > input; echo '{"status":"OK"}'`, {
      input,
      folder: folder.path,
      env: { PATH, LOCKSTEP_TASK: "T-1" },
    });
    const written = (name: string) => readFileSync(join(folder.path, name), "utf8");
    expect(end).toEqual({ how: "done", answer: { status: "OK" } });
    expect(JSON.parse(written("input"))).toEqual(input);
    expect(written("where").trim()).toBe(folder.path);
    const names = written("env")
      .split("\n")
      .map((line) => line.split("=")[0] as string);
    expect(names.filter((name) => !["PWD", "_", "SHLVL", "OLDPWD", ""].includes(name)).sort()).toEqual([
      "LOCKSTEP_TASK",
      "PATH",
    ]);
  });

  it("is read line by line, and its usage comes from its usage lines", async () => {
    const lines = [
      "working",
      '{"usage":{"tokens":7}}',
      '{ "usage": {"tokens": 5, "cost_usd": 0.25} }',
      '{"usage":{"tokens":-1}}',
      '{"usage":{"tokens":1},"status":"OK"}',
      '{"usage":{"tokens":1}',
    ];
    const { events } = await shell(
      `cat >&2 <<'E'\nnoise\nE\nsleep 0.1; cat <<'E'\n${lines.join("\n")}\nE\nprintf 'one\\rtwo\\r\\n\\nlast'`,
    );
    expect(events).toEqual([
      { type: "said", text: "noise" },
      { type: "said", text: "working" },
      { type: "usage", tokens: 7 },
      { type: "usage", tokens: 5, costUsd: 0.25 },
      ...lines.slice(3).map((text) => ({ type: "said", text })),
      ...["one", "two", "", "last"].map((text) => ({ type: "said", text })),
    ]);
  });

  it("is read while it runs, not only at its end", async () => {
    using folder = temporaryFolder();
    let count = 0;
    const shown = join(folder.path, "shown");
    // It continues only after its first line was read.
    await shell(`echo a; until [ -e ${shown} ]; do sleep 0.01; done; echo b`, {
      onEvent: () => {
        count += 1;
        folder.write("shown", "");
      },
    });
    expect(count).toBe(2);
  });

  it("answers with the last object on stdout, never with one on stderr", async () => {
    const answer = JSON.stringify({ status: "OK", summary: "é" }, null, 2);
    const script = `echo '{"status":"FAIL"}'; cat <<'E'\n\`\`\`json\n${answer}\n\`\`\`\nE\necho '{"status":"no"}' >&2`;
    expect((await shell(script)).end).toEqual({ how: "done", answer: { status: "OK", summary: "é" } });
  });

  it("without output has no answer", async () => {
    expect((await shell(":")).end).toEqual({ how: "done", answer: undefined });
  });

  it("with a failing exit code has failed despite its answer, and secrets in its output are masked", async () => {
    const secret = `AKIA${"ABCDEFGHIJKLMNOP"}`;
    const { end } = await shell(`echo '{"status":"OK"}'; echo ${secret} >&2; exit 3`);
    expect(end).toMatchObject({ how: "failed", reason: "`sh` ended with exit code 3" });
    const { output } = end as { output: string };
    expect(output).toContain('{"status":"OK"}');
    expect(output).toContain("[secret: ");
    expect(output).not.toContain(secret);
  });

  it.each<[string, string, Partial<AgentStart>, string]>([
    ["that is killed", "kill -9 $$", {}, "`sh` was ended by SIGKILL"],
    ["that takes too long", "sleep 60", { msMax: 300 }, "`sh` was stopped after its timeout of 0.3 seconds"],
    ["whose folder is missing", ":", { folder: "/no/folder" }, "its folder `/no/folder` does not exist"],
  ])("%s has failed, with the reason", async (_, script, more, reason) => {
    expect((await shell(script, more)).end).toMatchObject({
      how: "failed",
      reason: expect.stringContaining(reason),
    });
  });

  it("that was deleted after the probe has failed", async () => {
    const { end } = await started(commandAgent({ run: ["/no/program"], root: "/" }));
    expect(end).toMatchObject({ how: "failed", reason: expect.stringContaining("there is no such program") });
  });
});

describe("the output of an agent", () => {
  const size = 200_000_000;
  const answer = `'{"status":"OK"}'`;

  it.each<[string, string, number]>([
    ["of 200 MB without a line end", `head -c ${size} /dev/zero`, 5000],
    ["of 200 MB of random bytes", `head -c ${size} /dev/urandom`, Infinity],
    ["of many lines", `yes "$(printf %0500d 0)" | head -c ${size}`, Infinity],
  ])("%s is read to its end in bounded memory", async (_, script, eventsMax) => {
    let events = 0;
    let longest = 0;
    const before = process.memoryUsage().rss;
    const { end } = await shell(`${script}; echo; echo ${answer}`, {
      onEvent: (event) => {
        events += 1;
        if (event.type === "said") longest = Math.max(longest, event.text.length);
      },
    });
    expect(end).toEqual({ how: "done", answer: { status: "OK" } });
    expect(events).toBeGreaterThan(10);
    expect(events).toBeLessThan(eventsMax);
    expect(longest).toBeLessThanOrEqual(2000);
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
  });

  it("may come one character at a time", async () => {
    const program = `for (const c of "x".repeat(70000)) require("fs").writeSync(1, c); console.log(${JSON.stringify(`\n{"a":1}`)})`;
    const { end, said } = await started(commandAgent({ run: [process.execPath, "-e", program], root: "/" }));
    expect(end).toEqual({ how: "done", answer: { a: 1 } });
    expect(said.length).toBeLessThan(6);
  });

  it("without an end is stopped at the time limit", async () => {
    expect((await shell("yes", { msMax: 500 })).end).toMatchObject({ how: "failed" });
  });
});

describe("an agent that is stopped", () => {
  it("ends with its whole process group, even if that ignores SIGTERM", async () => {
    using folder = temporaryFolder();
    const script = `echo $$ > own; trap '' TERM; sh -c 'trap "" TERM; echo $$ > child; sleep 20' & echo up; wait; sleep 20`;
    let up = () => {};
    const running = new Promise<void>((resolve) => (up = resolve));
    const client = commandAgent({ run: ["sh", "-c", script], root: "/" });
    const agent = client.start(startWith({ folder: folder.path, onEvent: () => up() }));
    await running;
    const pid = (name: string) => readFileSync(join(folder.path, name), "utf8");
    await eventually(
      "the child",
      () => (existsSync(join(folder.path, "child")) && pid("child")) || undefined,
    );
    expect([alive(pid("own")), alive(pid("child"))]).toEqual([true, true]);
    await agent.stop();
    expect(await agent.ended).toEqual({ how: "stopped" });
    await eventually("their end", () => ([pid("own"), pid("child")].some(alive) ? undefined : true));
  });

  it("before its start never runs, and may be stopped again", async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, "in"));
    const client = commandAgent({ run: ["sh", "-c", "sleep 0.5; echo > ran"], root: "/" });
    const agent = client.start(startWith({ folder: join(folder.path, "in") }));
    await Promise.all([agent.stop(), agent.stop()]);
    await agent.stop();
    expect(await agent.ended).toEqual({ how: "stopped" });
    expect(existsSync(join(folder.path, "in/ran"))).toBe(false);
  });

  it("after its end remains ended as before", async () => {
    const agent = commandAgent({ run: ["true"], root: "/" }).start(startWith());
    await agent.ended;
    await agent.stop();
    expect(await agent.ended).toEqual({ how: "done", answer: undefined });
  });
});
