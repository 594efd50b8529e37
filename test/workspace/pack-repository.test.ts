import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { countLoose, packRepository } from "../../src/workspace/checkouts/pack-repository.ts";
import { diskUse } from "../../src/workspace/checkouts/walk-tree.ts";
import { landRepository } from "../support/land-repository.ts";

const silent = { onProgress: () => {} };
/** Text that cannot be compressed much. */
const text = (seed: number) => Array.from({ length: 40 }, (_, at) => `line ${seed * at ** 3}\n`).join("");
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`many/${at}.txt`, text(at)]));

describe("a repository after many merges", () => {
  it("takes little more than its packed content, and loses nothing that a checkout could need", async () => {
    using repository = landRepository();
    const { git, path } = repository;
    const folder = join(path, ".git");
    const stray = git("commit-tree", "HEAD^{tree}", "-m", "on no ref");
    for (let round = 0; round < 3; round += 1) {
      for (const [name, content] of Object.entries(many(50))) repository.write(name, `${round}\n${content}`);
      git("add", "-A");
      git("commit", "-qm", `round ${round}`);
      git("update-ref", `refs/lockstep/2026-01-01_shop/T-${round}/1`, "HEAD");
      expect(await packRepository(folder, { ...silent, looseMax: 20 })).toBe(true);
    }
    expect(countLoose(folder)).toBe(0);
    expect(git("cat-file", "-t", stray)).toBe("commit");
    expect(git("for-each-ref", "refs/lockstep").split("\n")).toHaveLength(3);
    const kept = diskUse(join(folder, "objects"));
    execFileSync("git", ["-C", path, "repack", "-adfq"]);
    expect(kept).toBeLessThanOrEqual(1.5 * diskUse(join(folder, "objects")));
    expect(git("fsck", "--full")).not.toMatch(/missing|broken/);
  });

  it("is packed after a move of the base, if there are enough loose objects", async () => {
    using repository = landRepository(many(1001));
    const folder = join(repository.path, ".git");
    repository.branch("x", { "f.js": "exports.f = 2;\n" });
    const before = countLoose(folder);
    expect(before).toBeGreaterThan(1000);
    expect((await repository.land("x", "--check", "true", "--dry-run")).status).toBe(0);
    expect(countLoose(folder)).toBeGreaterThanOrEqual(before);
    const { status, stderr } = await repository.land("x", "--check", "true");
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining("packing the repository"),
    });
    expect(countLoose(folder)).toBeLessThan(20);
  });
});
