import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { real } from "../../src/core/secrets/secret-samples.ts";
import { type Fleet, type FleetMachine, fleet, worker } from "../support/fleet.ts";
import { closeDatabases } from "../support/ledger-databases.ts";
import { answer, task, writes } from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";

afterAll(closeDatabases);

/** Only a machine with the label runs the task. */
const tasks = [task("A", "a", ", label: gpu")];

describe("a person on a third machine", () => {
  it("reads the log of an agent, stops it, and sees its work", async () => {
    const says = "run: { command: 'echo hello from afar; sleep 100' }";
    await using all = await fleet({ agents: { a: [[writes("A"), says]] }, tasks });
    const third = all.join("third", { clone: true });
    using _working = worker(all, all.join("other"), "--label", "gpu");
    using _running = all.first.start(["run"]);
    const said = await eventually("the log can be read", async () => {
      const { lines } = await third.json<{ lines?: string[] }>("log", "A");
      return lines?.some((line) => line.endsWith("hello from afar")) ? lines : undefined;
    });
    expect(said[0]).toContain("started by a");
    expect((await third.run(["status"])).stdout).toMatch(/^A +IN_PROGRESS .* running +other +A\.txt/m);
    const early = await third.run(["diff", "A"]);
    expect([early.status, early.stderr]).toEqual([1, expect.stringContaining("it is on machine `other`")]);
    const taken = await third.run(["take", "A"]);
    expect([taken.status, taken.stderr]).toEqual([2, expect.stringContaining("on the machine `other`")]);
    expect((await third.run(["stop", "A"])).status).toBe(0);
    const diff = await eventually("the work is at the remote", async () => {
      const { status, stdout } = await third.run(["diff", "A"]);
      return status === 0 ? stdout : undefined;
    });
    expect(diff).toContain("+made");
  });

  it("reads the end of the output of a check that failed elsewhere, without its secrets", async () => {
    const secret = real("ghp<+>_") + "aB3dE5".repeat(6);
    const check = `i=0; while [ $i -lt 1200 ]; do echo "line $i is one of many that are printed before the end"; i=$((i+1)); done; echo key ${secret}; echo the end; exit 1\n`;
    const planned = task("A", "a").replace("test -e A.txt", "sh check.sh");
    await using all = await fleet({
      ...{ agents: { a: [[writes("A"), answer("OK")]] }, tasks: [planned] },
      ...{ files: { "check.sh": check }, config: "limits: { review_retries: 0 }\n" },
    });
    expect((await all.first.run(["run"])).status).toBe(1);
    const third = all.join("third", { clone: true });
    const shown = await third.run(["log", "A", "--check", "2"]);
    expect(shown.status, shown.stderr).toBe(0);
    expect(shown.stdout).toMatch(/^line \d+ is one of many[\s\S]*\nkey \[secret:.*\nthe end\n$/);
    expect(shown.stdout.length).toBeLessThanOrEqual(32 * 1024);
    expect(shown.stderr).toMatch(/^lockstep: \d+ older bytes .* only on machine first, in \/.*\.log$/m);
    const [, bytes = "", file = ""] = /: (\d+) older bytes .*, in (.*)\n/.exec(shown.stderr) ?? [];
    const whole = readFileSync(file, "utf8");
    expect(whole.slice(Number(bytes))).toBe(shown.stdout);
    expect((await third.run(["log", "A"])).stdout).toContain(`first: ${file}`);
    const document = await third.json<object>("log", "A", "--check", "2");
    expect(document).toMatchObject({ machine: "first", left: Number(bytes), outcome: "fail", exit: 1 });
    expect((await all.first.run(["log", "A", "--check", "2"])).stdout).toBe(whole);
    const otherClone = all.join("first", { clone: true });
    expect((await otherClone.run(["log", "A", "--check", "2"])).stdout).toBe(whole);
  });

  it("changes the configuration for all machines by a push, and its checkout is behind after a merge", async () => {
    await using all = await fleet({
      ...{ agents: { a: [[writes("A"), answer("OK")]] }, tasks },
      config: "limits: { max_parallel: 1 }\n",
    });
    const third = all.join("third", { clone: true });
    using working = worker(all, all.join("other"), "--label", "gpu");
    await eventually("the worker has begun", () => working.errors().includes("worker other") || undefined);
    const config = readFileSync(configOf(third), "utf8");
    writeFileSync(configOf(third), `${config}# changed\n`);
    pushAll(all, third);
    writeFileSync(configOf(all.first), config.replace("max_parallel: 1", "max_parallel: 7"));
    const ran = await all.first.run(["run"]);
    expect(ran.status, `${ran.stderr}\n${working.errors()}`).toBe(0);
    expect(ran.stderr).toContain("config.yaml here differs from that of `main` at `origin`, which is used");
    expect(working.errors()).toContain("has changed: this worker finishes its tasks and reads it again");
    expect(working.errors().match(/worker other/g)).toHaveLength(2);
    expect((await third.run(["status"])).stdout).toContain("main here lacks merges of origin/main");
  });
});

function configOf({ folder }: FleetMachine): string {
  return join(folder, ".lockstep/config.yaml");
}

function pushAll({ remote }: Fleet, { folder }: FleetMachine): void {
  remote.git("-C", folder, "commit", "-qam", "change the configuration");
  remote.git("-C", folder, "push", "-q", "origin", "main");
}
