import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { memberRole, takeRole } from "../../src/engine/change/hold-role.ts";
import { ledgerReuse } from "../../src/engine/landing/reuse-evidence.ts";
import { offeredProofs } from "../../src/engine/landing/shared-proofs.ts";
import { Prover } from "../../src/proof/prover.ts";
import { ProofHelper } from "../../src/run/landing/evidence/help-prove.ts";
import { shareProofs } from "../../src/run/landing/evidence/share-proofs.ts";
import { memoryEngine, person, type TestEngine } from "../support/memory-engine.ts";
import { type ProvingGround, provingGround } from "../support/proving-ground.ts";

const offer = { kind: "worker", slots: 1, labels: [], lacks: [], draining: false } as const;

/** A prover of the first machine that offers its runs to others. */
function integrator(ground: ProvingGround, all: TestEngine): Promise<Prover> {
  const engine = { ...all, machine: "m1" };
  return Prover.open({
    ...ground.options,
    ...{ isPortable: true, machine: "first", reuse: ledgerReuse(engine) },
    share: shareProofs({ engine, call: person, refOf: () => "refs/lockstep/integration/1" }),
  });
}

/** A second machine with its own clone and state, which helps once it is asked. */
function second(ground: ProvingGround, engine: TestEngine, more: { readonly path?: string } = {}) {
  const lines: string[] = [];
  const helper = new ProofHelper({
    ...{ engine, call: person, machine: "second", helpers: () => 2 },
    onProgress: (line) => lines.push(line),
    openProver: () => {
      if (more.path !== undefined) process.env.PATH = more.path;
      return Prover.open({
        ...ground.options,
        ...{ isPortable: true, machine: "second", reuse: ledgerReuse(engine) },
      });
    },
    fetchCommit: async () => true,
  });
  return { helper, lines };
}

async function helpUntilDone<T>(helper: ProofHelper, run: Promise<T>): Promise<T> {
  let isOver = false;
  const end = run.finally(() => {
    isOver = true;
  });
  while (!isOver) if (!(await helper.helpOnce())) await setImmediate();
  return end;
}

describe("a check that several machines may run", () => {
  it("is run here if no other machine takes it, and its slot is free again", async () => {
    using ground = provingGround();
    const engine = await memoryEngine();
    await using prover = await integrator(ground, engine);
    const proven = await prover.run("HEAD", "cat a.txt");
    expect(proven).toMatchObject({ run: { exit: 0, tail: "committed\n", machine: "first" }, reused: false });
    expect(await offeredProofs(engine)).toEqual([]);
  });

  it("is run by another machine while this one is busy, with its tests and its output", async () => {
    using ground = provingGround({
      "busy.sh": "while [ ! -e $HOME/counts/go ]; do sleep 0.05; done\n",
      "one.test.js": "require('node:test')('one', () => {});\n",
    });
    const engine = await memoryEngine();
    await using first = await integrator(ground, engine);
    const busy = first.run("HEAD", "sh busy.sh");
    await expect
      .poll(async () => (await offeredProofs(engine)).map(({ isTaken }) => isTaken))
      .toEqual([true]);
    const other = first.run("HEAD", "node --test one.test.js");
    const { helper } = second(ground, engine);
    const proven = await helpUntilDone(helper, other);
    expect(proven).toMatchObject({ run: { exit: 0, machine: "second" }, reused: false });
    expect(proven).toMatchObject({ inventory: { tests: { "one.test.js > one": "pass" } } });
    ground.write("home/counts/go", "");
    expect(await busy).toMatchObject({ run: { exit: 0, machine: "first" } });
    // A pass is evidence on every machine.
    await using third = await integrator(ground, engine);
    expect(await third.run("HEAD", "node --test one.test.js")).toMatchObject({
      ...{ reused: true, run: { machine: "second" } },
    });
  });

  it("and that another machine has done is not repeated here when this one is free again", async () => {
    using ground = provingGround({ "busy.sh": "while [ ! -e $HOME/counts/go ]; do sleep 0.05; done\n" });
    const engine = await memoryEngine();
    await using first = await integrator(ground, engine);
    const busy = first.run("HEAD", "sh busy.sh");
    await expect
      .poll(async () => (await offeredProofs(engine)).map(({ isTaken }) => isTaken))
      .toEqual([true]);
    const counted = first.run("HEAD", "echo ran >> $HOME/counts/ran");
    const { helper } = second(ground, engine);
    expect(await helpUntilDone(helper, counted)).toMatchObject({ run: { exit: 0, machine: "second" } });
    ground.write("home/counts/go", "");
    await busy;
    // The next run waits for the same checkout, after everything that waited before.
    await first.run("HEAD", "true");
    expect(ground.read("home/counts/ran")).toBe("ran\n");
  });

  it("that failed is repeated by another machine, if there is one", async () => {
    using ground = provingGround({
      "odd.sh": "[ -e $HOME/counts/$1 ] || { touch $HOME/counts/$1; exit 3; }\n",
    });
    const engine = await memoryEngine();
    await takeRole(engine, { name: memberRole("m2", "/second"), offer }, person);
    await using first = await integrator(ground, engine);
    const failed = await first.run("HEAD", "sh odd.sh one");
    expect(failed).toMatchObject({ run: { exit: 3, machine: "first" } });
    const { helper } = second(ground, engine);
    const again = first.run("HEAD", "sh odd.sh one", undefined, "run" in failed ? failed.run : undefined);
    expect(await helpUntilDone(helper, again)).toMatchObject({
      run: { exit: 0, machine: "second", earlier: { exit: 3 } },
    });
  });

  it("is not run by a machine whose tools have other versions", async () => {
    using ground = provingGround({ "busy.sh": "while [ ! -e $HOME/counts/go ]; do sleep 0.05; done\n" });
    const engine = await memoryEngine();
    await using first = await integrator(ground, engine);
    const busy = first.run("HEAD", "sh busy.sh");
    await expect
      .poll(async () => (await offeredProofs(engine)).map(({ isTaken }) => isTaken))
      .toEqual([true]);
    const other = first.run("HEAD", "tool --check");
    await expect.poll(async () => (await offeredProofs(engine)).length).toBe(2);
    const path = process.env.PATH;
    const tool = ground.write("home/bin/tool", "#!/bin/sh\necho 2.0\n");
    chmodSync(tool, 0o755);
    const { helper, lines } = second(ground, engine, { path: `${dirname(tool)}:${path}` });
    try {
      expect(await helper.helpOnce()).toBe(false);
    } finally {
      process.env.PATH = path;
    }
    expect(lines).toEqual([
      "cannot run `tool --check` for another machine: the versions of its tools, its platform or its included files differ",
    ]);
    ground.write("home/counts/go", "");
    await busy;
    expect(await other).toMatchObject({ run: { exit: 127, machine: "first" } });
  });

  it("is offered in the order in which the runs were started ahead", async () => {
    using ground = provingGround({ "busy.sh": "while [ ! -e $HOME/counts/go ]; do sleep 0.05; done\n" });
    const engine = await memoryEngine();
    await using first = await integrator(ground, engine);
    const commands = ["sh busy.sh", ...Array.from({ length: 8 }, (_, at) => `echo ${at}`)];
    for (const command of commands) first.startAhead("HEAD", command);
    const offered = async () => (await offeredProofs(engine)).map(({ request }) => request.command);
    await expect.poll(offered, { timeout: 10_000 }).toHaveLength(commands.length);
    expect(await offered()).toEqual(commands);
    ground.write("home/counts/go", "");
    for (const command of commands)
      expect(await first.run("HEAD", command)).toMatchObject({ run: { exit: 0 } });
  });

  it("is one of as many as there are machines, so that not all prepare the same one, and of the same command", async () => {
    using ground = provingGround({ "busy.sh": "while [ ! -e $HOME/counts/go ]; do sleep 0.05; done\n" });
    const engine = await memoryEngine();
    const commits = ["one", "two", "three"].map((text) => {
      ground.write("main/a.txt", text);
      return ground.commit();
    });
    await using first = await integrator(ground, engine);
    const [one = "", two = "", three = ""] = commits;
    const started = [
      ["HEAD", "sh busy.sh"],
      [one, "cat a.txt"],
      [one, "echo short"],
      [two, "cat a.txt"],
      [three, "cat a.txt"],
    ] as const;
    for (const [commit, command] of started) first.startAhead(commit, command);
    await expect
      .poll(async () => (await offeredProofs(engine)).length, { timeout: 10_000 })
      .toBe(started.length);
    const { helper, lines } = second(ground, engine);
    using _last = vi.spyOn(Math, "random").mockReturnValue(0.99);
    expect(await helper.helpOnce()).toBe(true);
    expect(lines).toEqual(["running for another machine: cat a.txt"]);
    ground.write("home/counts/go", "");
    expect(await first.run(two, "cat a.txt")).toMatchObject({ run: { tail: "two", machine: "second" } });
    for (const [commit, command] of started) await first.run(commit, command);
  });

  it("that was started ahead and is dropped does not run, and leaves no request", async () => {
    using ground = provingGround({ "busy.sh": "while [ ! -e $HOME/counts/go ]; do sleep 0.05; done\n" });
    const engine = await memoryEngine();
    await using prover = await integrator(ground, engine);
    const busy = prover.run("HEAD", "sh busy.sh");
    await expect
      .poll(async () => (await offeredProofs(engine)).map(({ isTaken }) => isTaken))
      .toEqual([true]);
    prover.startAhead("HEAD", "touch $HOME/counts/ran");
    await expect.poll(async () => (await offeredProofs(engine)).length).toBe(2);
    prover.dropAhead();
    await expect.poll(async () => (await offeredProofs(engine)).length).toBe(1);
    ground.write("home/counts/go", "");
    await busy;
    expect(await offeredProofs(engine)).toEqual([]);
    expect(ground.read("home/counts/ran")).toBeUndefined();
  });
});
