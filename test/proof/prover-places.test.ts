import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { Prover } from "../../src/proof/prover.ts";
import { reuseInMemory } from "../../src/proof/reuse.ts";
import { checkoutsFolder } from "../../src/workspace/state/state-home.ts";
import { provingGround } from "../support/proving-ground.ts";
import { eventually } from "../support/run-command.ts";

/** A check that reports its start, and waits for the start of another one. */
const meets = (own: string, other: string) =>
  `touch "$HOME/counts/${own}"; until [ -e "$HOME/counts/${other}" ]; do sleep 0.05; done; pwd`;

describe("checks that are started ahead", () => {
  it("run in parallel, each in a checkout of its own", async () => {
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

  it("may listen on the same port", async () => {
    using ground = provingGround();
    const listen = (own: string, other: string) => {
      const code = `require("net").createServer().listen(47813, "127.0.0.1", () => {
        const { existsSync, writeFileSync } = require("fs");
        const folder = process.env.HOME + "/counts/";
        writeFileSync(folder + "${own}", "");
        setInterval(() => existsSync(folder + "${other}") && process.exit(0), 20);
      }).on("error", () => process.exit(9));`;
      return `${JSON.stringify(process.execPath)} -e '${code}'`;
    };
    const [first, second] = [listen("a", "b"), listen("b", "a")];
    await using prover = await Prover.open({ ...ground.options, proofsMax: 2 });
    prover.startAhead("HEAD", first);
    prover.startAhead("HEAD", second);
    for (const command of [first, second])
      expect(await prover.run("HEAD", command)).toMatchObject({ run: { exit: 0 }, reused: false });
  });

  it("have no network except their own, as every other check of that prover", async () => {
    using ground = provingGround();
    const server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
    try {
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const connect = `require("net").connect(${port}, "127.0.0.1").on("error", () => process.exit(7)).on("connect", () => process.exit(0));`;
      const command = `${JSON.stringify(process.execPath)} -e '${connect}'`;
      const reuse = reuseInMemory();
      const exitOf = async (proofsMax: number, isAhead: boolean) => {
        await using prover = await Prover.open({ ...ground.options, proofsMax, reuse });
        if (isAhead) prover.startAhead("HEAD", command);
        const proven = await prover.run("HEAD", command);
        return "error" in proven ? proven.error : [proven.run.exit, proven.run.earlier, proven.reused];
      };
      expect(await exitOf(2, true)).toEqual([7, undefined, false]);
      expect(await exitOf(2, false)).toEqual([7, undefined, false]);
      // A failure or a pass without the network is no evidence for a run with it.
      expect(await exitOf(1, false)).toEqual([0, undefined, false]);
      expect(await exitOf(1, false)).toEqual([0, undefined, true]);
      expect(await exitOf(2, false)).toEqual([7, undefined, false]);
    } finally {
      server.close();
    }
  });

  it("wait for a checkout if all are in use", async () => {
    using ground = provingGround();
    await using prover = await Prover.open({ ...ground.options, proofsMax: 1 });
    const commands = ["pwd; : 1", "pwd; : 2", "pwd; : 3"];
    for (const command of commands) prover.startAhead("HEAD", command);
    const runs = await Promise.all(commands.map((command) => prover.run("HEAD", command)));
    for (const proven of runs) expect(proven).toMatchObject({ run: { exit: 0, tail: `${prover.folder}\n` } });
    expect(readdirSync(dirname(dirname(prover.folder)))).toEqual(["0"]);
  });

  it("do not get another checkout if creating it takes longer than running them", async () => {
    using ground = provingGround();
    const file = join(checkoutsFolder(ground.place("main/.git")), "proof-checkout-ms");
    const places = async (ms: number) => {
      await using prover = await Prover.open({ ...ground.options, proofsMax: 2 });
      await prover.run("HEAD", `pwd; : ${ms}`);
      writeFileSync(file, String(ms));
      const commands = [1, 2, 3].map((number) => `sleep 0.1; pwd; : ${ms} ${number}`);
      for (const command of commands) prover.startAhead("HEAD", command);
      const runs = await Promise.all(commands.map((command) => prover.run("HEAD", command)));
      return new Set(runs.map((proven) => ("error" in proven ? proven.error : proven.run.tail))).size;
    };
    expect(await places(3_600_000)).toBe(1);
    expect(await places(0)).toBe(2);
  });

  it("do not share their checkout: other work gets another one", async () => {
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

  it("are used once: a second run is a new one", async () => {
    using ground = provingGround();
    await using prover = await Prover.open({ ...ground.options, proofsMax: 2 });
    const command = 'echo x >> "$HOME/counts/runs"; exit 1';
    prover.startAhead("HEAD", command);
    prover.startAhead("HEAD", command);
    await prover.run("HEAD", command);
    expect(ground.read("home/counts/runs")).toBe("x\n");
    await prover.run("HEAD", command);
    expect(ground.read("home/counts/runs")).toBe("x\nx\n");
  });

  it("are stopped with the prover if they were not used, and do not count as failures of their tree", async () => {
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
      await using prover = await Prover.open({ ...ground.options, proofsMax: 2, reuse: watched });
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
