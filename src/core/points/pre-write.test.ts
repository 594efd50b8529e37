import { describe, expect, it } from "vitest";
import { altered } from "../../../test/support/altered.ts";
import { judge, memoryPorts } from "../../../test/support/judge.ts";
import * as preWrite from "./pre-write.ts";

const request = {
  task_id: "T-123",
  assignment: { lock_scope: ["src", "gen/*.ts"], forbidden_scope: ["src/secret"] },
  write: { resource: "src/a.ts", action: "edit" },
};

const ports = memoryPorts({
  "/repo/src/a.ts": "x",
  "/repo/src/secret/key": "x",
  "/repo/src/ui/b.ts": "x",
  "/repo/gen/sub.ts/c": "x",
  "/repo/src/out": { to: "/etc" },
  "/repo/src/dangling": { to: "../package.json" },
  "/repo/src/inner": { to: "secret" },
  "/repo/src/git": { to: "../.git" },
});

const resource = (path: unknown, action: unknown = "edit") => ({ write: { resource: path, action } });

describe("the form of a write", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["one write", {}, "OK"],
    ["several writes", { write: undefined, writes: [{ resource: "src/b", action: "edit" }] }, "OK"],
    ["both forms together", { writes: [{ resource: "src/b", action: "edit" }] }, "OK"],
    ["no write", { write: undefined }, "R-IN-001"],
    ["null writes together with a write", { writes: null }, "OK"],
    ["an empty list", { write: undefined, writes: [] }, "R-IN-001"],
    ["writes of the wrong type", { writes: "src/a" }, "R-IN-001"],
    ["a text as write", { write: "src/a" }, "R-IN-001"],
    ["a blank resource", resource("  "), "R-IN-001"],
    ["no resource", resource(undefined), "R-IN-001"],
    ["a number as resource", resource(1), "R-IN-001"],
    ["a resource with NUL", resource("src/a\u0000"), "R-IN-001"],
    ["a resource with a line break", resource("src/a\nb"), "R-IN-001"],
    ["no action", { write: { resource: "src/a" } }, "R-IN-001"],
    ["a blank action", resource("src/a", " "), "R-IN-001"],
    ["one bad write among good ones", { writes: [request.write, { resource: "" }] }, "R-IN-001"],
    ["no task id", { task_id: undefined }, "R-IN-001"],
    ["no assignment", { assignment: undefined }, "R-IN-001"],
    ["no lock scope", { "assignment.lock_scope": undefined }, "R-IN-001"],
    ["a lock scope that leaves the project", { "assignment.lock_scope": ["../x"] }, "R-IN-001"],
    ["no forbidden scope", { "assignment.forbidden_scope": undefined }, "R-IN-001"],
    ["a forbidden scope of the wrong type", { "assignment.forbidden_scope": "x" }, "R-IN-001"],
    ["a worklog of the wrong type", { "assignment.worklog_path": 1 }, "R-IN-001"],
    ["a session of the wrong type", { session: 1 }, "R-IN-001"],
    ["an empty lock scope", { "assignment.lock_scope": [] }, "R-PW-001"],
  ])("%s: %o gives %s", async (_, changes, code) => {
    expect((await judge(preWrite, altered(request, changes), ports)).code).toBe(code);
  });
});

describe("where a write goes", () => {
  it.each<[string, string, string, string]>([
    ["inside", "src/new/b.ts", "edit", "OK"],
    ["outside", "lib/a.ts", "edit", "R-PW-001"],
    ["the same name prefix", "src2/a.ts", "edit", "R-PW-001"],
    ["dots out of the lock", "src/../package.json", "edit", "R-PW-001"],
    ["dots out of the project", "../../etc/passwd", "edit", "R-PW-001"],
    ["absolute inside", "/repo/src/a.ts", "edit", "OK"],
    ["absolute elsewhere", "/etc/passwd", "edit", "R-PW-001"],
    ["the home folder", "~/x", "edit", "R-PW-001"],
    ["a client's settings in the home folder", "~/.claude/settings.json", "edit", "R-PW-002"],
    ["a variable", "$HOME/x", "edit", "R-PW-001"],
    ["a drive", "C:/x", "edit", "R-PW-001"],
    ["a file address", "file:///repo/src/a.ts", "edit", "OK"],
    ["backslashes", "src\\a.ts", "edit", "OK"],
    ["a link that leaves the project", "src/out/passwd", "edit", "R-PW-001"],
    ["a dangling link out of the lock", "src/dangling", "create", "R-PW-001"],
    ["forbidden", "src/secret/key", "edit", "R-PW-002"],
    ["the forbidden folder itself", "src/secret", "edit", "R-PW-002"],
    ["a link into the forbidden scope", "src/inner/key", "edit", "R-PW-002"],
    ["a link into .git", "src/git/config", "edit", "R-PW-002"],
    [".git", ".git/config", "edit", "R-PW-002"],
    [".git in a nested repository", "src/sub/.git/config", "edit", "R-PW-002"],
    [".lockstep in another case", ".LOCKSTEP/config.yaml", "edit", "R-PW-002"],
    [".claude", ".claude/settings.json", "edit", "R-PW-002"],
    [".mcp.json", ".mcp.json", "edit", "R-PW-002"],
    ["a path beyond the longest", `src/${"a".repeat(5000)}`, "edit", "R-PW-001"],
    ["deleting a file", "src/a.ts", "delete", "OK"],
    ["deleting a folder", "src/ui", "Delete", "OK"],
    ["deleting a folder with a forbidden part", "src", "rm", "R-PW-002"],
    ["moving a folder with a forbidden part", "src", "MOVE", "R-PW-002"],
    ["renaming a folder with a forbidden part", "src", "rename", "R-PW-002"],
    ["removing the project", ".", "remove", "R-PW-002"],
    ["a new file in a glob", "gen/x.ts", "create", "OK"],
    ["removing a folder that a glob names alone", "gen/sub.ts", "rmdir", "R-PW-001"],
    ["editing under that name", "gen/sub.ts", "edit", "OK"],
  ])("%s: %s by %s gives %s", async (_, path, action, code) => {
    expect((await judge(preWrite, altered(request, resource(path, action)), ports)).code).toBe(code);
  });

  it("judges forbidden paths before paths outside the lock, over all writes", async () => {
    const writes = ["lib/a", "src/secret/key"].map((path) => ({ resource: path, action: "edit" }));
    expect((await judge(preWrite, altered(request, { writes }), ports)).code).toBe("R-PW-002");
    const crossed = { "assignment.lock_scope": ["src/a.py"], "assignment.forbidden_scope": ["src/b.py"] };
    const payload = altered(request, { ...crossed, ...resource("src/b.py") });
    expect((await judge(preWrite, payload, ports)).code).toBe("R-PW-002");
  });
});

describe("the worklog and the session", () => {
  const worklog = { "assignment.worklog_path": ".agents-work/today/worklogs/T-123.md" };

  it.each<[string, Record<string, unknown>, string, string]>([
    ["the worklog belongs to the lock", worklog, ".agents-work/today/worklogs/T-123.md", "OK"],
    ["but not its neighbours", worklog, ".agents-work/today/worklogs/T-124.md", "R-PW-001"],
    ["nor a path below it", worklog, ".agents-work/today/worklogs/T-123.md/x", "R-PW-001"],
    ["a worklog at the root opens nothing else", { "assignment.worklog_path": "." }, "lib/a", "R-PW-001"],
    ["a worklog that is a glob is that name", { "assignment.worklog_path": "lib/*" }, "lib/a", "R-PW-001"],
    ["a worklog outside opens nothing", { "assignment.worklog_path": "../log" }, "../log", "R-PW-001"],
    ["another session is closed", worklog, ".agents-work/yesterday/spec.md", "R-PW-002"],
    ["the named session wins", { ...worklog, session: "yesterday" }, ".agents-work/yesterday/x", "R-PW-001"],
    ["a named session closes others", { session: "today" }, ".agents-work/yesterday/x", "R-PW-002"],
  ])("%s", async (_, changes, path, code) => {
    expect((await judge(preWrite, altered(request, { ...changes, ...resource(path) }), ports)).code).toBe(
      code,
    );
  });
});

describe("the next legal step", () => {
  it.each<[string, string]>([
    ["lib/a.ts", 'lockstep widen T-123 lib/a.ts --why "…"'],
    ["src/../lib/a b.ts", `lockstep widen T-123 'lib/a b.ts' --why "…"`],
    ["/etc/passwd", 'lockstep widen T-123 PATH --why "…"'],
    ["src/out/passwd", 'lockstep widen T-123 PATH --why "…"'],
    [`lib/${"a".repeat(3000)}`, ' --why "…"'],
    [`lib/${"a".repeat(5000)}`, 'lockstep widen T-123 PATH --why "…"'],
  ])("for %s the reason names `%s`", async (path, command) => {
    const verdict = await judge(preWrite, altered(request, resource(path)), ports);
    expect(verdict.code).toBe("R-PW-001");
    expect(verdict.reason).toContain("lockstep widen T-123 ");
    expect(verdict.reason).toContain(command);
  });
});
