import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../bench/random.ts";
import { listPool } from "../../src/workspace/checkouts/checkout-pool.ts";
import { removeCheckout } from "../../src/workspace/checkouts/remove-checkout.ts";
import { type AgentRepository, agentIn, agentRepository } from "../support/agent-checkout.ts";
import { skipLoudly } from "../support/skip-loudly.ts";

/** More than the maximum number of files of a checkout that is reused. */
const many = Object.fromEntries(Array.from({ length: 260 }, (_, at) => [`many/${at}.txt`, `${at}\n`]));
const files = { ...many, "a.txt": "a\n", "src/b.txt": "b\n", ".gitignore": "out/\n" };
const child = join(import.meta.dirname, "pool-child.ts");

/** A repository with a checkout in the pool, and the commit that the second task starts from. */
async function repositoryWithPool() {
  const repository = agentRepository(files);
  const { checkout } = await repository.open({ task: "T-1", isContained: true });
  await removeCheckout(checkout);
  expect(listPool(repository.commonFolder)).toHaveLength(1);
  repository.write("src/b.txt", "changed\n");
  repository.git("commit", "-qam", "next");
  return { repository, base: repository.git("rev-parse", "HEAD") };
}

/** Works on T-2 in a process of its own. */
function secondTask({ path }: AgentRepository, base: string, words: string, point = 0) {
  const call = [child, path, "T-2", base, words, String(point)];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, call, { encoding: "utf8" });
  return { status, signal, changes: Number(stdout), stderr };
}

/** All texts in a checkout, or in a commit that a ref of Lockstep names. */
function keptTexts({ path, git }: AgentRepository): string {
  const refs = git("for-each-ref", "--format=%(refname)", "refs/lockstep").split("\n").filter(Boolean);
  const inRefs = refs.map((ref) => git("grep", "-h", "-e", "", ref, "--", "a.txt", "new.txt"));
  const state = join(path, ".git/state");
  const onDisk = existsSync(state)
    ? readdirSync(state, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /^(?:a|new)\.txt$/.test(entry.name))
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    : [];
  return [...inRefs, ...onDisk].join("\n");
}

/** Some moments of a run without a fault, the same ones on every machine; `POOL_POINTS=all`: all of them. */
function pointsOf(changes: number): readonly number[] {
  const all = Array.from({ length: changes }, (_, at) => at + 1);
  if (process.env.POOL_POINTS === "all") return all;
  const random = seededRandom(20);
  return all
    .map((point) => ({ point, order: random() }))
    .sort((one, other) => one.order - other.order)
    .slice(0, 8)
    .map(({ point }) => point);
}

describe("a process that is killed while it takes a checkout from the pool, or gives one back", () => {
  it("leaves checkouts that later tasks can use, and loses no work", { timeout: 600_000 }, async () => {
    const { changes } = await (async () => {
      const { repository, base } = await repositoryWithPool();
      using _repository = repository;
      return secondTask(repository, base, "first words");
    })();
    expect(changes).toBeGreaterThan(20);
    for (const point of pointsOf(changes)) {
      const { repository, base } = await repositoryWithPool();
      using _repository = repository;
      const killed = secondTask(repository, base, "first words", point);
      expect(killed.signal, `${point}: ${killed.stderr}`).toBe("SIGKILL");
      const hasWorked = keptTexts(repository).includes("first words");
      // The same task is tried again, and the next one follows.
      const again = secondTask(repository, base, "second words");
      expect(again.status, `${point}: ${again.stderr}`).toBe(0);
      expect(keptTexts(repository), String(point)).toContain("second words");
      if (hasWorked) expect(keptTexts(repository), String(point)).toContain("first words");
      const { checkout } = await repository.open({ task: "T-3", base, isContained: true });
      expect(agentIn(checkout).git("status", "--porcelain", "--ignored"), String(point)).toBe("");
      expect(agentIn(checkout).git("rev-parse", "HEAD"), String(point)).toBe(base);
      expect(readFileSync(join(checkout.folder, "a.txt"), "utf8"), String(point)).toBe("a\n");
      expect(existsSync(join(checkout.folder, "new.txt")), String(point)).toBe(false);
      execFileSync("git", ["fsck", "--no-dangling"], { cwd: checkout.folder, stdio: "pipe" });
    }
  });
});

const mounts = spawnSync("unshare", ["--mount", "sh", "-c", "mount -t tmpfs none /mnt"]);
const whyNoMounts = mounts.status === 0 ? undefined : "this user may not mount file systems";
skipLoudly("THE TESTS OF A POOL ON A FULL DISK", whyNoMounts);

describe.skipIf(whyNoMounts !== undefined)(
  "a disk that is full when a checkout moves to its next base",
  () => {
    it("fails that checkout with the reason, and the next one is whole when there is space again", () => {
      using repository = agentRepository({ ...files, "big.bin": "x".repeat(900_000) });
      const { base, git, path } = repository;
      repository.write("second.bin", "y".repeat(900_000));
      git("add", "-A");
      git("commit", "-qm", "second");
      const next = git("rev-parse", "HEAD");
      mkdirSync(join(path, ".git/state"), { recursive: true });
      const work = (task: string, at: string) => `"$NODE" "$CHILD" "$ROOT" ${task} ${at} words`;
      const script = `cd "$ROOT" && mount -t tmpfs -o size=3300k,mode=700 none .git/state && ${work("T-1", base)} || exit 9
      head -c 800000 /dev/zero > .git/state/junk
      if ${work("T-2", next)} 2>"$ERRORS"; then exit 8; fi
      rm .git/state/junk; mount -o remount,size=8m .git/state
      ${work("T-2", next)} && ${work("T-3", next)} || exit 7
      find .git/state -name '*.half' -o -name making | grep . && exit 6
      exit 0`;
      const errors = join(path, ".git/errors");
      const env = { ...process.env, NODE: process.execPath, CHILD: child, ROOT: path, ERRORS: errors };
      const done = spawnSync("unshare", ["--mount", "sh", "-c", script], { env, encoding: "utf8" });
      expect(done.status, done.stderr + done.stdout).toBe(0);
      expect(readFileSync(errors, "utf8")).toMatch(/unable to write file \S+: the disk is full or fails/);
      expect(keptTexts(repository)).toContain("words");
    });
  },
);
