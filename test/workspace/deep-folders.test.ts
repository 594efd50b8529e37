import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { listPool, trimPool } from "../../src/workspace/checkouts/checkout-pool.ts";
import { collectWork } from "../../src/workspace/checkouts/collect-work.ts";
import { listCheckouts } from "../../src/workspace/checkouts/list-checkouts.ts";
import { removeCheckout, removeCheckouts } from "../../src/workspace/checkouts/remove-checkout.ts";
import { diskUse } from "../../src/workspace/checkouts/walk-tree.ts";
import { agentIn, agentRepository } from "../support/agent-checkout.ts";
import { makeDeep } from "../support/deep-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const tooDeep =
  /^`(deep|dist|src\/own)\/.*` holds files whose paths are longer than the system allows: remove it/;

describe("the size of a folder", () => {
  it.each<[string, (folder: string) => void]>([
    ["that is nested too deep", (folder) => makeDeep(folder, "deep")],
    ["with a file whose name does not fit any more", (folder) => makeDeep(folder, `${"x/".repeat(150)}deep`)],
  ])("%s is that of what can be read", (_, make) => {
    using folder = temporaryFolder({ "large.txt": "x".repeat(100_000) });
    make(folder.path);
    expect(diskUse(folder.path)).toBeGreaterThan(100_000);
    expect(diskUse(folder.path)).toBeLessThan(2_000_000);
  });

  it("that does not exist is 0", () => {
    using folder = temporaryFolder();
    expect(diskUse(join(folder.path, "gone"))).toBe(0);
  });
});

describe("work in folders that are nested too deep", () => {
  it.each<[path: string, ignored: string, refused: boolean]>([
    ["deep", "*.log", true],
    ["src/own", "*.log", true],
    ["dist/deep", "*.log", true],
    ["deep", "deep", false],
    ["dist/deep", "dist", false],
  ])("in %s, with %s ignored, is refused: %j", async (path, ignored, isRefused) => {
    using repository = agentRepository({ "a.txt": "a\n", ".gitignore": `${ignored}\n` });
    const { checkout } = await repository.open();
    agentIn(checkout).write("a.txt", "mine\n");
    makeDeep(checkout.folder, path);
    const collecting = collectWork(checkout);
    if (isRefused) await expect(collecting).rejects.toThrow(tooDeep);
    else expect(await collecting).toMatchObject({ changed: [{ path: "a.txt" }] });
    // The next attempt repairs it.
    const { checkout: again } = await repository.open({ attempt: 2 });
    expect(again.folder).toBe(checkout.folder);
    execFileSync("rm", ["-rf", path], { cwd: again.folder });
    expect(await collectWork(again)).toMatchObject({ changed: [{ path: "a.txt" }] });
  });

  it("stays with its checkout, and the others are removed", async () => {
    using repository = agentRepository({ "a.txt": "a\n", ".gitignore": "deep\n" });
    const checkouts = [];
    for (const task of ["T-1", "T-2", "T-3"]) checkouts.push((await repository.open({ task })).checkout);
    const [, second, third] = checkouts;
    makeDeep(second?.folder ?? "", "deep");
    agentIn(third as NonNullable<typeof third>).write("a.txt", "mine\n");
    const removals = await removeCheckouts(checkouts);
    expect(removals).toMatchObject([
      { kept: [] },
      { fault: { message: expect.stringMatching(tooDeep) } },
      { kept: [{ holds: "T-3: working tree of attempt 1" }] },
    ]);
    expect(listCheckouts(repository.commonFolder).map(({ checkout }) => checkout?.task)).toEqual(["T-2"]);
    await expect(removeCheckout(second as NonNullable<typeof second>)).rejects.toThrow(tooDeep);
    execFileSync("rm", ["-rf", "deep"], { cwd: second?.folder });
    expect(await removeCheckout(second as NonNullable<typeof second>)).toEqual([]);
  });

  it("that nobody needs is deleted, and the checkout is used again", async () => {
    const many = Object.fromEntries(Array.from({ length: 260 }, (_, at) => [`many/${at}.txt`, `${at}\n`]));
    using repository = agentRepository({ ...many, ".gitignore": "out\n" });
    const isContained = true;
    const { checkout } = await repository.open({ isContained });
    makeDeep(checkout.folder, "out");
    await removeCheckout(checkout);
    trimPool(repository.commonFolder, 2 ** 30);
    expect(listPool(repository.commonFolder)).toHaveLength(1);
    const { checkout: next } = await repository.open({ task: "T-2", isContained });
    expect(existsSync(join(next.folder, "out"))).toBe(false);
    expect(agentIn(next).git("status", "--porcelain", "--ignored")).toBe("");
    makeDeep(next.folder, "out");
    writeFileSync(join(next.folder, "many/0.txt"), "0\n");
    await removeCheckout(next);
    trimPool(repository.commonFolder, 0);
    const attempts = dirname(dirname(next.folder));
    await expect.poll(() => [readdirSync(attempts), listPool(repository.commonFolder)]).toEqual([[], []]);
  });
});
