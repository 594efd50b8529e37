import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { takeHostLock } from "../../src/server/host-lock.ts";
import type { LandRepository } from "../support/land-repository.ts";
import { answer, planned, planText, task, writes } from "../support/planned-repository.ts";

const manual = task("M", "m").replace('["cmd:', '["manual: it reads well", "cmd:');

describe("lockstep clean", () => {
  let repository: LandRepository;

  /** One task is merged, the other waits for a person. */
  beforeAll(async () => {
    repository = planned({
      agents: { a: [[writes("A"), answer("OK")]], m: [[writes("M"), answer("OK")]] },
      tasks: [task("A", "a")],
      files: { "manual.yaml": planText([manual], "manual") },
    });
    expect((await repository.run(["run"])).status).toBe(0);
    expect((await repository.run(["run", "manual.yaml"])).status).toBe(3);
  }, 60_000);
  afterAll(() => repository[Symbol.dispose]());

  const refs = () => repository.git("for-each-ref", "--format=%(refname)", "refs/lockstep").split("\n");
  const clean = async (...words: string[]) => {
    const { status, stdout, stderr } = await repository.run(["clean", "--json", ...words]);
    const { freed } = JSON.parse(stdout) as {
      freed: { what: string; count: number; bytes: number | null }[];
    };
    const counts = Object.fromEntries((freed ?? []).map(({ what, count }) => [what, count]));
    return { status, stdout, stderr, counts };
  };
  const state = () => join(repository.path, ".git", "state", "lockstep");

  /** A repository's folder of checkouts that was last used the given number of days ago. */
  const oldCheckout = (gone: string, days: number) => {
    const id = createHash("sha256").update(gone).digest("hex").slice(0, 12);
    const folder = join(state(), `gone-${id}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "repository"), `${gone}\n`);
    const then = new Date(Date.now() - days * 24 * 60 * 60_000);
    for (const path of [join(folder, "repository"), folder]) utimesSync(path, then, then);
    return folder;
  };

  it("removes the checkouts of deleted repositories that have not been used for long", async () => {
    const old = oldCheckout("/nowhere/old/gone/.git", 31);
    const young = oldCheckout("/nowhere/young/gone/.git", 29);
    const before = refs();
    const planned = await clean("--dry-run");
    expect(planned.counts).toMatchObject({ "checkouts of repositories that no longer exist": 1 });
    expect(existsSync(old)).toBe(true);
    expect((await clean()).counts).toMatchObject({ "checkouts of repositories that no longer exist": 1 });
    expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
    expect(refs()).toEqual(before);
  });

  it.each([[], ["--dry-run"]])("leaves what an active run may need, and reports it: %j", async (...more) => {
    using _run = takeHostLock(join(repository.path, ".git", "lockstep"), "host");
    const refused = await clean("--older", "0", ...more);
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("R-ST-001: a run is active"),
    });
  });

  it("is refused to agents", async () => {
    const { status, stderr } = await repository.run(["clean"], { env: { CLAUDECODE: "1" } });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("R-AU-001") });
  });

  it("frees the checkouts of finished work, and nothing that an open task needs", async () => {
    const [a, m] = [/_shop\/A\//, /_manual\/M\//].map((form) => refs().filter((ref) => form.test(ref)));
    expect([a?.length, m?.length].every((count) => (count ?? 0) > 0)).toBe(true);
    const dry = await clean("--dry-run", "--older", "0");
    const kinds = ["refs of finished work", "logs of finished work", "proof checkouts not used lately"];
    expect(Object.keys(dry.counts)).toEqual(expect.arrayContaining(kinds));
    expect(refs()).toEqual(expect.arrayContaining([...(a ?? []), ...(m ?? [])]));
    const done = await clean("--older", "0");
    expect(done.counts).toEqual(dry.counts);
    expect(refs()).toEqual(expect.arrayContaining(m ?? []));
    expect(refs().filter((ref) => a?.includes(ref))).toEqual([]);
    expect(
      readdirSync(join(repository.path, ".git", "lockstep", "logs")).filter((name) => /\.log$/.test(name)),
    ).toEqual([expect.stringMatching(/_M\.log$/)]);
    expect((await repository.run(["clean", "--older", "0"])).stdout).toBe("nothing to clean\n");
    expect((await repository.run(["decide", "UD-1", "approved"])).status).toBe(0);
    expect((await repository.run(["run", "manual.yaml"])).status).toBe(0);
  });

  it("frees old copies of files outside a lock and old versions of designs", async () => {
    const lockstep = join(repository.path, ".git", "lockstep");
    const digest = "a".repeat(64);
    mkdirSync(join(lockstep, "designs"), { recursive: true });
    mkdirSync(join(lockstep, "trees", "pending"), { recursive: true });
    mkdirSync(join(lockstep, "trees", "aside-2", "deep"), { recursive: true });
    for (const file of [`designs/${digest}`, "trees/aside-1", "trees/aside-2/deep/x", "trees/before-1"])
      writeFileSync(join(lockstep, file), "x");
    const pending = (name: string, owner: string) =>
      writeFileSync(join(lockstep, "trees/pending", name), JSON.stringify({ name, owner }));
    pending("before-1", "session:gone");
    pending("before-2", "task open");
    const kinds = {
      "designs of finished sessions": 1,
      "settings that strayed and were moved aside": 2,
      "calls that were never compared": 1,
    };
    expect((await clean("--dry-run")).counts).not.toMatchObject(kinds);
    expect((await clean("--dry-run", "--older", "0")).counts).toMatchObject(kinds);
    expect((await clean("--older", "0")).counts).toMatchObject(kinds);
    expect(readdirSync(join(lockstep, "designs"))).toEqual([]);
    expect(readdirSync(join(lockstep, "trees")).sort()).toEqual(["before-1", "pending"]);
    expect(readdirSync(join(lockstep, "trees", "pending"))).toEqual(["before-2"]);
  });

  it("is suggested by `status --disk`", async () => {
    expect((await repository.run(["status", "--disk"])).stdout).toContain("`lockstep clean` frees");
  });
});
