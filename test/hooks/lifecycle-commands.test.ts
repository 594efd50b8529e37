import { chmodSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { HookContext, HookPoint } from "../../src/hooks/lifecycle/hook.ts";
import { runCommandHook } from "../../src/hooks/lifecycle/run-command-hook.ts";
import { runProgramIn } from "../support/lifecycle-ground.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const context: HookContext = {
  hook_point: "before_merge",
  task_id: "T-1",
  task_title: "Round prices",
  task_path: "tasks.yaml",
  task_type: "product",
  branch_name: "lockstep/T-1",
  base_branch: "main",
  worktree: "/checkout",
  agent_name: "coder",
  commits_count: 2,
  extra: { pr_url: "https://127.0.0.1/pull/1" },
};

const allow = '{"allow":true,"code":"OK","reason":"Validation passed"}';

async function ask(
  command: readonly string[],
  { files = {}, msMax = 20_000 }: { files?: Record<string, string>; msMax?: number } = {},
) {
  using folder = temporaryFolder(files);
  for (const file of Object.keys(files))
    chmodSync(`${folder.path}/${file}`, file.endsWith("x") ? 0o644 : 0o755);
  return await runCommandHook(command, context, {
    runProgram: runProgramIn(folder.path),
    programMsMax: msMax,
  });
}

const shell = (script: string, msMax?: number) =>
  ask(["sh", "-c", script], msMax === undefined ? {} : { msMax });

describe("a hook that is a program", () => {
  it("gets the context on stdin and allows with one line and exit 0", async () => {
    const script = `
      let text = "";
      process.stdin.on("data", (chunk) => (text += chunk)).on("end", () =>
        console.log(JSON.stringify({ allow: true, code: "OK", reason: "seen", details: { got: JSON.parse(text) } })));`;
    expect(await ask(["node", "-e", script])).toEqual({
      status: "SUCCESS",
      message: "seen",
      context: { got: context },
    });
  });

  it("may allow without reading its input", async () => {
    expect(await shell(`echo '${allow}'`)).toEqual({
      status: "SUCCESS",
      message: "Validation passed",
      context: {},
    });
  });

  it("denies with its reason, and may suggest what an agent could do", async () => {
    const deny = {
      allow: false,
      code: "X-1",
      reason: "no changelog",
      details: { remediation_prompt: "write one" },
    };
    expect(await shell(`echo '${JSON.stringify(deny)}'; exit 2`)).toEqual({
      status: "FAILURE",
      message: expect.stringMatching(/ denies: no changelog$/),
      context: deny.details,
      remediation_prompt: "write one",
    });
  });

  it.each<[string, string, RegExp]>([
    ["denies with exit 0", `echo '{"allow":false,"code":"X-1","reason":"no"}'`, / denies: no$/],
    [
      "allows with exit 2",
      `echo '${allow}'; exit 2`,
      /printed an allow but exited with code 2: exit with 0$/,
    ],
    ["prints nothing", "true", /gave no verdict: its output is not one JSON document: print \{"allow"/],
    [
      "prints nothing and fails",
      "echo oops >&2; exit 3",
      /gave no verdict \(exit code 3\): .*last line of stderr: `oops`$/,
    ],
    ["prints garbage", "echo all fine", /is not one JSON document/],
    [
      "prints colours around its verdict",
      `printf '\\033[32m${allow}\\033[0m\\n'`,
      /is not one JSON document/,
    ],
    ["prints half a document", `printf '{"allow":true,"code":"OK","rea'`, /is not one JSON document/],
    ["prints two verdicts", `echo '${allow}'; echo '${allow}'`, /is not one JSON document/],
    ["prints a note before its verdict", `echo note; echo '${allow}'`, /is not one JSON document/],
    [
      "prints bytes that are not text",
      `printf '{"allow":true,"code":"OK","reason":"\\377"}'`,
      /is not one JSON document/,
    ],
    ["prints a list", `echo '[${allow}]'`, /is not one JSON document/],
    ["prints another document", `echo '{"ok":true}'`, /its output is not a verdict/],
    ["allows in words", `echo '{"allow":"true","code":"OK","reason":"x"}'`, /its output is not a verdict/],
    [
      "allows with a rule's code",
      `echo '{"allow":true,"code":"X-1","reason":"x"}'`,
      /its output is not a verdict/,
    ],
    ["denies with OK", `echo '{"allow":false,"code":"OK","reason":"x"}'`, /its output is not a verdict/],
    ["allows without a reason", `echo '{"allow":true,"code":"OK"}'`, /its output is not a verdict/],
    ["allows by a prototype", `echo '{"__proto__":${allow}}'`, /its output is not a verdict/],
    ["kills itself", "kill -KILL $$", /was killed by SIGKILL before it gave a verdict$/],
    ["kills itself after an allow", `echo '${allow}'; kill -SEGV $$`, /was killed by SIGSEGV/],
    ["runs a missing program", "no-such-program-here", /\(exit code 127\).*not found/],
  ])("fails if it %s", async (_, script, message) => {
    const result = await shell(script);
    expect(result).toMatchObject({ status: "FAILURE", message: expect.stringMatching(message) });
    expect(result.remediation_prompt).toBeUndefined();
  });

  it.each<[string, readonly string[], Record<string, string>, RegExp]>([
    [
      "is missing",
      ["./gone"],
      {},
      /^`.\/gone` could not be started: .*there is no such program; install it, or correct `hooks`/,
    ],
    ["is not executable", ["./x"], { x: "#!/bin/sh\n" }, /could not be started: .*it is not executable/],
    [
      "names an interpreter that is missing",
      ["./it"],
      { it: "#!/no/such/sh\n" },
      /could not be started: .*no such program/,
    ],
    ["is not a program", ["./it"], { it: "\u0001\u0002" }, /does not run|gave no verdict/],
    ["is a folder", ["/tmp"], {}, /could not be started: .*it is not executable/],
  ])("fails if it %s", async (_, command, files, message) => {
    expect(await ask(command, { files })).toMatchObject({
      status: "FAILURE",
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ["sleeps", "sleep 999"],
    ["loops forever", "while :; do :; done"],
    ["sleeps after its verdict", `echo '${allow}'; sleep 999`],
    ["ignores SIGTERM", "trap '' TERM; while :; do sleep 1; done"],
  ])("is ended if it %s for too long", async (_, script) => {
    const started = performance.now();
    expect(await shell(script, 300)).toMatchObject({
      status: "FAILURE",
      message: expect.stringMatching(/gave no verdict within 0\.3 s and was stopped/),
    });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("may print a mebibyte; more is read but not stored", async () => {
    const padded = (bytes: number) =>
      shell(`head -c ${bytes - allow.length} /dev/zero | tr '\\0' ' '; printf '%s' '${allow}'`);
    expect(await padded(1024 * 1024)).toMatchObject({ status: "SUCCESS" });
    const tooMuch = {
      status: "FAILURE",
      message: expect.stringContaining("printed more than 1048576 bytes"),
    };
    expect(await padded(1024 * 1024 + 1)).toMatchObject(tooMuch);
    const before = process.memoryUsage().rss;
    const whole = `head -c 1000000000 /dev/zero; head -c 100000000 /dev/zero >&2; echo '${allow}'`;
    expect(await shell(whole, 60_000)).toMatchObject(tooMuch);
    // Dropped chunks wait for garbage collection: some 100 MB of them for one gigabyte and for three.
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
  });

  it("has a timeout of one minute by default", async () => {
    using folder = temporaryFolder();
    const given: number[] = [];
    await runCommandHook(["true"], context, {
      runProgram: (run) => {
        given.push(run.msMax);
        return runProgramIn(folder.path)(run);
      },
    });
    expect(given).toEqual([60_000]);
  });

  it("gets the name of its hook point", async () => {
    const points: HookPoint[] = ["before_submit", "after_merge"];
    for (const hook_point of points) {
      using folder = temporaryFolder();
      const script = `grep -q '"hook_point":"${hook_point}"' && echo '${allow}'`;
      const ports = { runProgram: runProgramIn(folder.path) };
      expect(await runCommandHook(["sh", "-c", script], { ...context, hook_point }, ports)).toMatchObject({
        status: "SUCCESS",
      });
    }
  });
});
