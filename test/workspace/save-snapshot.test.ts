import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findProject } from "../../src/workspace/files/find-project.ts";
import { saveSnapshot } from "../../src/workspace/state/save-snapshot.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const snapshot = { ledger: [{ task_id: "T-1", status: "done" }], locks: [], blockers: [], learnings: ["a"] };
const at = new Date("2026-02-14T20:00:00.123Z");
const awsId = ["AKIA", "IOSFODNN7EXAMPLQ"].join("");

async function save(folder: string, more: Partial<Parameters<typeof saveSnapshot>[1]> = {}) {
  const saved = await saveSnapshot(findProject(folder), { session: "demo", snapshot, at, ...more });
  if ("error" in saved) throw new Error(saved.error);
  return saved.path;
}

describe("saving a snapshot", () => {
  it("writes the given parts into a file for its owner only", async () => {
    using folder = temporaryFolder({ ".git/HEAD": "x" });
    const path = await save(folder.path);
    expect(path).toBe(join(folder.path, ".git/lockstep/snapshots/demo-20260214T200000Z-1.json"));
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      session: "demo",
      taken_at: "2026-02-14T20:00:00.123Z",
      ...snapshot,
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  });

  it("goes to .lockstep/state outside a repository", async () => {
    using folder = temporaryFolder();
    expect(await save(folder.path)).toContain(join(folder.path, ".lockstep/state/snapshots/demo-"));
  });

  it("restricts the mode of a folder that others could read", async () => {
    using folder = temporaryFolder({ ".git/HEAD": "x" });
    mkdirSync(join(folder.path, ".git/lockstep/snapshots"), { recursive: true, mode: 0o755 });
    const path = await save(folder.path);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  });

  it("never overwrites, and leaves no temporary file", async () => {
    using folder = temporaryFolder({ ".git/HEAD": "x" });
    const paths = await Promise.all(Array.from({ length: 20 }, () => save(folder.path)));
    expect(new Set(paths).size).toBe(20);
    const names = readdirSync(join(folder.path, ".git/lockstep/snapshots"));
    expect(names).toHaveLength(20);
    expect(names.every((name) => name.endsWith(".json"))).toBe(true);
  });

  it("skips the name of a temporary file that a crash left", async () => {
    using folder = temporaryFolder({ ".git/lockstep/snapshots/demo-20260214T200000Z-1.json.tmp": "torn" });
    expect(await save(folder.path)).toMatch(/-2\.json$/);
  });

  it.each([
    ["../../etc/x", ".._.._etc_x"],
    ["a b\u2028c", "a_b_c"],
    ["é".repeat(300), "_".repeat(80)],
    [undefined, "no-session"],
  ])("session %j becomes the file name %s", async (session, name) => {
    using folder = temporaryFolder({ ".git/HEAD": "x" });
    expect(await save(folder.path, { session })).toBe(
      join(folder.path, `.git/lockstep/snapshots/${name}-20260214T200000Z-1.json`),
    );
  });

  it.each(["lockstep", "lockstep/snapshots"])("refuses a link in place of %s", async (step) => {
    using folder = temporaryFolder({ ".git/HEAD": "x", "away/a": "x" });
    if (step !== "lockstep") mkdirSync(join(folder.path, ".git/lockstep"));
    symlinkSync(join(folder.path, "away"), join(folder.path, ".git", step));
    const saved = await saveSnapshot(findProject(folder.path), { session: "demo", snapshot, at });
    expect(saved).toMatchObject({ error: expect.stringContaining("is a link or a file") });
    expect(readdirSync(join(folder.path, "away"))).toEqual(["a"]);
  });

  it("reports why the disk refused", async () => {
    using folder = temporaryFolder({ ".git/HEAD": "x", ".git/lockstep": "a file" });
    const saved = await saveSnapshot(findProject(folder.path), { session: "demo", snapshot, at });
    expect(saved).toMatchObject({ error: expect.stringContaining(".git/lockstep") });
  });
});

describe("secrets in a snapshot", () => {
  it("are masked in values, keys, nested places and after revealing keys", async () => {
    using folder = temporaryFolder({ ".git/HEAD": "x" });
    const path = await save(folder.path, {
      session: `s-${awsId}`,
      snapshot: {
        ledger: [{ note: `uses ${awsId} today`, nested: [[{ api_key: "q8Zr2mVx7Lp0Kt5Ws9Yb" }]] }],
        locks: [{ [awsId]: true }],
        blockers: [`${awsId} and ${awsId}`],
        learnings: ["nothing to hide", { ["__proto__"]: 1, n: 1, b: true, z: null }],
      },
    });
    const text = readFileSync(path, "utf8");
    expect(text).not.toContain(awsId);
    expect(text).not.toContain("q8Zr2mVx7Lp0Kt5Ws9Yb");
    const document = JSON.parse(text);
    expect(document.ledger[0].note).toBe("uses [secret: aws-access-key-id] today");
    expect(document.blockers[0]).toBe("[secret: aws-access-key-id] and [secret: aws-access-key-id]");
    expect(document.learnings[0]).toBe("nothing to hide");
    expect(document.learnings[1]).toMatchObject({ n: 1, b: true, z: null });
  });

  it("are replaced in their place among many strings", async () => {
    using folder = temporaryFolder({ ".git/HEAD": "x" });
    const learnings = Array.from({ length: 5000 }, (_, index) =>
      index % 7 === 0 ? `x ${awsId} y` : `line ${index}`,
    );
    const document = JSON.parse(
      readFileSync(await save(folder.path, { snapshot: { ...snapshot, learnings } }), "utf8"),
    );
    const expected = learnings.map((text) => text.replace(awsId, "[secret: aws-access-key-id]"));
    expect(document.learnings).toEqual(expected);
  });
});
