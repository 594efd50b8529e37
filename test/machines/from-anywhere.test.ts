import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type FleetMachine, fleet, worker } from "../support/fleet.ts";
import { closeDatabases } from "../support/ledger-databases.ts";
import { answer, task, writes } from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";

afterAll(closeDatabases);

const says = (text: string, more = "") => `run: { command: 'echo ${text}${more}' }`;
const stateOf = async (machine: FleetMachine, id: string) =>
  (await machine.json<{ state: string }>("task", "show", id)).state;

describe("a person on a third machine", () => {
  it("reads the log of an agent, stops it, sees its work, and changes the configuration of all", async () => {
    const attempts = [
      [writes("A"), says("hello from afar", "; sleep 100")],
      [writes("A"), says("again"), answer("OK")],
    ];
    await using all = await fleet({
      agents: { a: attempts },
      tasks: [task("A", "a", ", label: gpu")],
      config: "limits: { max_parallel: 1 }\n",
    });
    const third = all.join("third", { clone: true });
    using working = worker(all, all.join("other"), "--label", "gpu");
    const file = join(all.first.folder, ".lockstep/config.yaml");
    const config = readFileSync(file, "utf8");
    writeFileSync(file, config.replace("max_parallel: 1", "max_parallel: 7"));
    const running = all.first.start(["run"]);
    const said = await eventually("the log can be read", async () => {
      const { lines } = await third.json<{ lines: string[] }>("log", "A");
      return lines?.some((line) => line.endsWith("hello from afar")) ? lines : undefined;
    });
    expect(said[0]).toContain("started by a");
    expect((await third.run(["status"])).stdout).toMatch(/^A +IN_PROGRESS .* running +other +A\.txt/m);
    expect((await third.run(["task", "show", "A"])).stdout).toMatch(/^machine +other$/m);
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
    // Nothing is left for the first machine, whose configuration was not used.
    const ran = await running.ended;
    expect(ran.stderr).toContain("config.yaml here differs from that of `main` at `origin`, which is used");
    const changed = `${config}# changed\n`;
    writeFileSync(join(third.folder, ".lockstep/config.yaml"), changed);
    const git = (...words: string[]) =>
      all.remote.git("-C", third.folder, "-c", "user.name=t", "-c", "user.email=t@localhost", ...words);
    git("commit", "-qam", "change the configuration");
    git("push", "-q", "origin", "main");
    expect((await third.run(["task", "retry", "A"])).status).toBe(0);
    await eventually("the task is merged", async () => (await stateOf(third, "A")) === "MERGED" || undefined);
    expect((await third.run(["status"])).stdout).toContain("main here lacks merges of origin/main");
    await eventually("the worker has read the new configuration", () =>
      working.errors().includes("has changed: this worker finishes its tasks and reads it again") &&
      working.errors().match(/worker other/g)?.length === 2
        ? true
        : undefined,
    );
    working.process.kill("SIGINT");
    expect((await working.ended).status).toBe(0);
  });
});
