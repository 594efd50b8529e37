import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { Prover } from "../../src/proof/prover.ts";
import { reuseInMemory } from "../../src/proof/reuse.ts";
import { provingGround } from "../support/proving-ground.ts";
import { eventually } from "../support/run-command.ts";

/** A check that says that it runs, and waits until another one has said so. */
const meets = (own: string, other: string) =>
  `touch "$HOME/counts/${own}"; until [ -e "$HOME/counts/${other}" ]; do sleep 0.05; done; pwd`;

describe("checks that are started ahead", () => {
  it("run side by side, each in a checkout of its own", async () => {
    using ground = provingGround();
    const [first, second] = [meets("a", "b"), meets("b", "a")];
    await using prover = await Prover.open({ ...ground.options, proofsMax: 2 });
    prover.startAhead("HEAD", first);
    prover.startAhead("HEAD", second);
    const runs = await Promise.all([prover.run("HEAD", first), prover.run("HEAD", second)]);
    const folders = runs.map((proven) => ("error" in proven ? proven.error : proven.run.tail.trim()));
    expect(new Set(folders).size).toBe(2);
    for (const folder of folders) expect(existsSync(folder)).toBe(true);
  });

  it("wait for a place where all are in use", async () => {
    using ground = provingGround();
    await using prover = await Prover.open({ ...ground.options, proofsMax: 1 });
    const commands = ["pwd; : 1", "pwd; : 2", "pwd; : 3"];
    for (const command of commands) prover.startAhead("HEAD", command);
    const runs = await Promise.all(commands.map((command) => prover.run("HEAD", command)));
    for (const proven of runs) expect(proven).toMatchObject({ run: { exit: 0, tail: `${prover.folder}\n` } });
    expect(readdirSync(dirname(dirname(prover.folder)))).toEqual(["0"]);
  });

  it("keep their place to themselves: a folder for something else is another one", async () => {
    using ground = provingGround();
    await using prover = await Prover.open({ ...ground.options, proofsMax: 2 });
    const command = meets("a", "b");
    prover.startAhead("HEAD", command);
    await eventually("the check", () => existsSync(ground.place("home/counts/a")) || undefined);
    const folder = await prover.inTree("HEAD", async (found) => found);
    writeFileSync(ground.place("home/counts/b"), "");
    const proven = await prover.run("HEAD", command);
    expect("error" in proven ? proven.error : proven.run.tail.trim()).not.toBe(folder);
  });

  it("are asked for once: a second run is a new one", async () => {
    using ground = provingGround();
    await using prover = await Prover.open(ground.options);
    const command = 'echo x >> "$HOME/counts/runs"; exit 1';
    prover.startAhead("HEAD", command);
    prover.startAhead("HEAD", command);
    await prover.run("HEAD", command);
    expect(ground.read("home/counts/runs")).toBe("x\n");
    await prover.run("HEAD", command);
    expect(ground.read("home/counts/runs")).toBe("x\nx\n");
  });

  it("are ended with the prover where nobody asked for them, and are no failure of their tree", async () => {
    using ground = provingGround();
    const reuse = reuseInMemory();
    const kept: string[] = [];
    const watched = {
      ...reuse,
      keep: async (runs: Parameters<typeof reuse.keep>[0]) => {
        kept.push(...runs.map(({ command }) => command));
        await reuse.keep(runs);
      },
    };
    const command = 'touch "$HOME/counts/began"; sleep 600';
    {
      await using prover = await Prover.open({ ...ground.options, reuse: watched });
      prover.startAhead("HEAD", command);
      while (!existsSync(ground.place("home/counts/began")))
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(kept).toEqual([]);
    mkdirSync(ground.place("home/counts"), { recursive: true });
    writeFileSync(ground.place("home/counts/after"), "");
    using next = await Prover.open(ground.options);
    expect(next.folder).toBe(join(dirname(dirname(next.folder)), "0", "tree"));
  });
});
