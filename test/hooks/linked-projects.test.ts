import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runPoint } from "../../src/hooks/run-point.ts";
import { nodeDisk } from "../../src/workspace/files/disk.ts";
import { findProject } from "../../src/workspace/files/find-project.ts";
import { saveSnapshot } from "../../src/workspace/state/save-snapshot.ts";

const outer = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-links-")));
const root = join(outer, "repo");
afterAll(() => rmSync(outer, { recursive: true }));

const git = (...words: readonly string[]) => execFileSync("git", words, { cwd: root, stdio: "ignore" });

beforeAll(() => {
  for (const folder of ["src", "lib", "worklogs"]) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "src/a.py"), "x\n");
  writeFileSync(join(root, "worklogs/T-1.md"), "x\n");
  symlinkSync("../lib", join(root, "src/link"));
  symlinkSync(outer, join(root, "src/out"));
  git("init", "-q", "--separate-git-dir=meta", ".");
  git("add", "-A");
  git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "start");
  git("worktree", "add", "-q", "inner");
  git("worktree", "add", "-q", "../beside");
});

async function codeOf(point: string, payload: unknown, folder = root): Promise<string> {
  const project = findProject(folder);
  const verdict = await runPoint(point, Buffer.from(JSON.stringify(payload)), {
    place: project.place,
    disk: nodeDisk(),
    findSecrets: async () => [],
    saveSnapshot: (session, snapshot) => saveSnapshot(project, { session, snapshot, at: new Date(0) }),
  });
  return verdict.code;
}

const assignment = (lock: readonly string[], forbidden: readonly string[] = []) => ({
  lock_scope: lock,
  forbidden_scope: forbidden,
  acceptance_criteria: ["x"],
  worklog_path: "worklogs/T-1.md",
  timeout_seconds: 20,
  heartbeat_interval_seconds: 2,
});
const lock = (task_id: string, resource: string) => ({ task_id, resource, active: true });
const dispatch = (scope: string, held: string) => ({
  task_id: "T-1",
  assignment: assignment([scope]),
  active_locks: [lock("T-2", held)],
});
const write = (
  resource: string,
  scope: readonly string[],
  forbidden: readonly string[] = [],
  action = "edit",
) => ({
  task_id: "T-1",
  assignment: assignment(scope, forbidden),
  write: { resource, action },
});

describe("an entry that is a link means its target", () => {
  it.each([
    ["PreDispatch", dispatch("lib", "src/link"), "R-PD-003"],
    ["PreDispatch", dispatch("src/link/x", "lib"), "R-PD-003"],
    ["PreDispatch", dispatch("src/out/x", "docs"), "R-PD-002"],
    ["OnLockUpdate", [lock("T-1", "src/link"), lock("T-2", "lib")], "R-LK-001"],
    ["PreWrite", write("lib/x", ["lib"], ["src/link"]), "R-PW-002"],
    ["PreWrite", write("src/link/x", ["src/link"]), "OK"],
    ["PreWrite", write("src/link/x", ["src"]), "R-PW-001"],
    [
      "PreExecution",
      {
        task_id: "T-1",
        assignment: assignment(["src/link"]),
        dependencies: [],
        active_locks: [lock("T-1", "src"), lock("T-2", "lib")],
        sandbox: { ready: true, root: "." },
      },
      "R-PE-002",
    ],
  ])("%s %j gives %s", async (point, payload, code) => {
    expect(await codeOf(point, payload)).toBe(code);
  });
});

describe("git's own folders and other checkouts", () => {
  it.each([
    ["git's folder by another name", write("meta/hooks/pre-commit", ["."]), "R-PW-002"],
    ["settings in a worktree inside", write("inner/.claude/settings.json", ["."]), "R-PW-002"],
    ["a forbidden path in a worktree inside", write("inner/src/a.py", ["."], ["src"]), "R-PW-002"],
    ["a path in a neighboring worktree", write(join(outer, "beside/src/a.py"), ["src"]), "OK"],
    ["another path in a neighboring worktree", write(join(outer, "beside/lib/a.py"), ["src"]), "R-PW-001"],
    [
      "a neighboring folder that is not a worktree",
      write(join(outer, "other/src/a.py"), ["src"]),
      "R-PW-001",
    ],
  ])("%s", async (_, payload, code) => {
    expect(await codeOf("PreWrite", payload)).toBe(code);
  });

  it("without a target get no snapshot, and nothing is created in their place", async () => {
    const broken = join(outer, "broken");
    mkdirSync(broken);
    writeFileSync(join(broken, ".git"), `gitdir: ${join(outer, "nowhere/x")}\n`);
    const snapshot = { ledger: [], locks: [], blockers: [], learnings: [] };
    expect(await codeOf("PreCompact", { snapshot }, broken)).toBe("R-CP-002");
  });
});

describe("a change of a deleted path", () => {
  const result = (resource: string, forbidden: readonly string[], worklog = "worklogs/T-1.md") => ({
    task_id: "T-1",
    assignment: assignment(["."], forbidden),
    result: {
      status: "failed",
      changes: [{ resource, action: "delete" }],
      acceptance_check: [],
      worklog_path: worklog,
      notes_for_orchestrator: [],
    },
  });

  it.each([
    ["a folder with a forbidden part", result("gone", ["gone/secret"]), "R-PW-002"],
    ["a folder with a protected part", result(".github", []), "R-PW-002"],
    ["a file", result("gone.ts", []), "OK"],
  ])("is judged as the deletion of %s", async (_, payload, code) => {
    expect(await codeOf("PostExecution", payload)).toBe(code);
  });

  it("does not make another file the worklog", async () => {
    const payload = result("gone.ts", [], "src/a.py");
    expect(await codeOf("PostExecution", payload)).toBe("OK"); // the assigned worklog exists too
    const never = { ...payload, assignment: { ...payload.assignment, worklog_path: "worklogs/never.md" } };
    expect(await codeOf("PostExecution", never)).toBe("R-PO-003");
  });

  it("with an unknown action is judged as a deletion", async () => {
    expect(await codeOf("PreWrite", write("src", ["."], ["src/secret"], "unlink"))).toBe("R-PW-002");
    expect(await codeOf("PreWrite", write("src", ["."], ["src/secret"], "chmod"))).toBe("OK");
  });
});
