import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type LandRepository, landRepository } from "../support/land-repository.ts";
import { eventually, startProgram } from "../support/run-command.ts";
import { lockstepWords } from "../support/run-hook.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("a scope that is given in a folder below the root", () => {
  const inDocs = (repository: LandRepository, ...words: string[]) =>
    startProgram([...lockstepWords, ...words], {
      cwd: join(repository.path, "docs"),
      env: { XDG_STATE_HOME: join(repository.path, ".git/state") },
    }).ended;

  it("is relative to that folder in every command, and is shown relative to the root", async () => {
    using repository = landRepository({ "docs/a.md": "a\n" });
    repository.branch("inside", { "docs/a.md": "b\n" });
    repository.branch("outside", { "docs/a.md": "b\n", "f.js": "exports.f = 2;\n" });
    const outside = await inDocs(repository, "land", "outside", "--scope", ".");
    expect(outside).toMatchObject({ status: 2, stderr: expect.stringContaining("R-PO-002") });
    expect(outside.stderr).toContain("scope, relative to the project's root: docs\n");
    expect((await inDocs(repository, "land", "inside", "--scope", "a.md")).status).toBe(0);
    const forbidden = ["--forbid", "x.md", "--check", "cmd: true", "--agent", "a", "--title", "x"];
    await inDocs(repository, "task", "add", "T-1", "--scope", ".", "../f.js", ...forbidden);
    const dispatched = await repository.run(["dispatch"], { input: '{"task_id":"T-1"}' });
    expect(JSON.parse(dispatched.stdout).details).toMatchObject({ lock_scope: ["docs", "f.js"] });
    expect((await repository.run(["explain", "touch docs/x.md", "--task", "T-1"])).stdout).toContain(
      "R-PW-002",
    );
    const explained = (line: string) => inDocs(repository, "explain", line, "--scope", ".");
    expect((await explained("touch a.md")).status).toBe(0);
    expect((await explained("touch ../f.js")).status).toBe(2);
  });
});

describe("a branch", () => {
  it("that passes its checks is merged with its proof, and uncommitted work of people stays", async () => {
    using repository = landRepository();
    repository.branch("good", { "f.js": "exports.f = 2;\n" });
    repository.write("notes.txt", "mine\n");
    const { status, landed } = await repository.land("good", "--scope", "f.js", "--proves", "grep -q 2 f.js");
    expect(status).toBe(0);
    expect(landed).toMatchObject({
      outcome: "merged",
      task: "land-good",
      evidence: [
        { command: "node test/f.test.js", kind: "project", outcome: "pass" },
        {
          command: "grep -q 2 f.js",
          kind: "proves",
          before: { exit: 1 },
          after: { exit: 0 },
          outcome: "pass",
        },
      ],
    });
    const head = repository.git("rev-parse", "HEAD");
    expect(landed.commit).toBe(head);
    expect(repository.git("show", "-s", "--format=%P", head).split(" ")).toHaveLength(2);
    expect(repository.git("show", "-s", "--format=%B", head)).toContain(
      "Lockstep-Evidence: node test/f.test.js (pass)",
    );
    expect(JSON.parse(repository.git("notes", "--ref=lockstep", "show", head))).toMatchObject({
      changed: ["f.js"],
    });
    expect(readFileSync(join(repository.path, "f.js"), "utf8")).toBe("exports.f = 2;\n");
    expect(readFileSync(join(repository.path, "notes.txt"), "utf8")).toBe("mine\n");
    const evidence = landed.evidence as { tree: string }[];
    expect(evidence[0]?.tree).toBe(repository.git("rev-parse", "HEAD^{tree}"));
    expect((await repository.land("good")).landed).toMatchObject({ outcome: "nothing" });
  });

  it.each<[string, Record<string, string | null>, readonly string[], string, number]>([
    [
      "reaches outside its scope",
      { "f.js": "exports.f = 2;\n", "other.js": "1\n" },
      ["--scope", "f.js"],
      "R-PO-002",
      2,
    ],
    ["deletes outside its scope", { "test/f.test.js": null }, ["--scope", "f.js"], "R-PO-002", 2],
    [
      "contains a session's folder",
      { ".agents-work/2026-01-31_x/activeContext.md": "x\n" },
      [],
      "R-PW-002",
      2,
    ],
    ["brings submodules", { ".gitmodules": "\n" }, [], "R-GT-001", 2],
    ["touches protected paths", { ".claude/settings.json": "{}\n" }, [], "R-PW-002", 2],
    ["breaks the tests", { "f.js": "exports.f = 3;\n" }, [], "R-PC-002", 2],
    [
      "fails its own check",
      { "f.js": "exports.f = 2;\n" },
      ["--check", " CMD: grep -q 9 f.js"],
      "R-PC-002",
      2,
    ],
    ["proves nothing", { "f.js": "exports.f = 2;\n" }, ["--proves", "true"], "R-PC-002", 3],
    ["has an invalid scope", { "f.js": "exports.f = 2;\n" }, ["--scope", "../x"], "R-PD-002", 2],
  ])("that %s is refused, and the base does not move", async (_name, changes, words, code, exit) => {
    using repository = landRepository();
    repository.branch("work", changes);
    const before = repository.git("rev-parse", "main");
    const { status, landed } = await repository.land("work", ...words);
    expect({ status, code: (landed.refused as { code: string }).code }).toEqual({ status: exit, code });
    expect(repository.git("rev-parse", "main")).toBe(before);
    expect(repository.git("status", "--porcelain")).toBe("");
  });

  it("that conflicts with the base is refused with the names of the files", async () => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    repository.write("f.js", "exports.f = 1; // same line\n");
    repository.git("commit", "-qam", "meanwhile");
    const { status, stderr, landed } = await repository.land("work");
    expect({ status, refused: landed.refused }).toMatchObject({
      status: 2,
      refused: { code: "R-GT-001", details: { conflicts: ["f.js"] } },
    });
    expect(stderr).toContain("rebase it on `main`");
  });

  it("whose check is flaky is refused with both runs, unless it is listed", async () => {
    // Every second run passes: only a folder that the configuration opens outlives a check.
    const flaky = 'cd "$HOME/.cache" && if rm -r ran; then exit 0; else mkdir ran; exit 1; fi';
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    const env = { HOME: join(repository.path, "state") };
    repository.write("state/.cache/ran/.keep", "");
    repository.write("state/.cache/x", "");
    repository.write(".lockstep/config.yaml", "workspace: { home: [.cache] }\n");
    const refused = await repository.run(["land", "work", "--check", flaky, "--json"], { env });
    expect(refused.status).toBe(2);
    const [record] = JSON.parse(refused.stdout).evidence.slice(-1);
    expect(record).toMatchObject({ outcome: "flaky", after: { exit: 1 }, again: { exit: 0 } });
    const lists = `checks: { flaky: [${JSON.stringify(flaky)}] }\n`;
    repository.write(".lockstep/config.yaml", `workspace: { home: [.cache] }\n${lists}`);
    const listed = await repository.run(["land", "work", "--check", flaky, "--json"], { env });
    expect({ status: listed.status, outcome: JSON.parse(listed.stdout).outcome }).toEqual({
      status: 0,
      outcome: "merged",
    });
  });
});

describe("a request with several branches", () => {
  it("is checked as a whole first: a missing branch stops all of them, with one problem per line", async () => {
    using repository = landRepository();
    repository.branch("good", { "f.js": "exports.f = 2;\n" });
    const before = repository.git("rev-parse", "main");
    const { status, stdout, stderr } = await repository.run(["land", "good", "gone", "lost"]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr.split("\n").filter((line) => line.startsWith("lockstep: "))).toEqual([
      "lockstep: R-IN-001: there is no branch, tag or commit `gone`: `git branch --all` lists the branches",
      "lockstep: R-IN-001: there is no branch, tag or commit `lost`: `git branch --all` lists the branches",
    ]);
    expect(repository.git("rev-parse", "main")).toBe(before);
    expect((await repository.land("good", "gone")).landed).toMatchObject({ allow: false, code: "R-IN-001" });
    expect((await repository.land("good")).landed.outcome).toBe("merged");
  });
});

describe("a landing that is refused", () => {
  const check = "grep -q 'exports.f = 2' f.js";
  const options = ["--scope", "f.js", "my docs", "--check", check, "--allow-red"];
  const line = `lockstep land work --scope f.js 'my docs' --check 'grep -q '\\''exports.f = 2'\\'' f.js' --allow-red`;

  it("is repeated by the printed command, with the same options", async () => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 1; //\n" });
    repository.branch("good", { "my docs/a": "" });
    const { status, stderr } = await repository.run(["land", "work", ...options]);
    expect(status).toBe(2);
    expect(stderr.trimEnd().split("\n").at(-1)).toBe(`to land again: ${line}`);
    expect((await repository.land("work", ...options)).landed.again).toBe(line);
    const both = await repository.run(["land", "good", "work", "--proves", "grep -q 2 f.js"]);
    expect(both.stderr).toContain("to land again: lockstep land good work --proves 'grep -q 2 f.js'\n");
  });

  it("has that command in the status and after the answer to its question", async () => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    repository.write("f.js", "mine\n");
    expect((await repository.run(["land", "work", ...options])).status).toBe(3);
    expect((await repository.run(["status"])).stdout).toContain(line);
    repository.git("checkout", "-q", "f.js");
    const proves = [...options, "--proves", "test -e f.js"];
    expect((await repository.run(["land", "work", ...proves])).status).toBe(3);
    const [asked] = JSON.parse((await repository.run(["decide", "--json"])).stdout);
    const { stdout, stderr } = await repository.run(["decide", asked.id, "approved"]);
    expect(stdout + stderr).toContain(
      `next: ${line.replace(" --allow-red", "")} --proves 'test -e f.js' --allow-red`,
    );
  });

  it("names the folder that its scope is relative to", async () => {
    using repository = landRepository({ "docs/a.md": "a\n" });
    repository.branch("work", { "docs/a.md": "b\n" });
    repository.write("docs/a.md", "mine\n");
    const { ended } = startProgram([...lockstepWords, "land", "work", "--scope", "."], {
      cwd: join(repository.path, "docs"),
      env: { XDG_STATE_HOME: join(repository.path, ".git/state") },
    });
    expect((await ended).stderr).toContain("to land again: lockstep land work --scope .\n");
    expect((await repository.run(["status"])).stdout).toMatch(
      /cd \S+\/docs && lockstep land work --scope \./,
    );
  });
});

describe("a check that proves nothing", () => {
  async function asked(repository: LandRepository) {
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    const output = await repository.run(["land", "work", "--proves", "true", "--check", "true"]);
    expect(output.stderr).toContain(
      "`true` proves nothing: it also passes on the base, without the change; ",
    );
    expect(output.stdout).toMatch(/^true \(check\) +exit 0 /m);
    expect(output.stdout).toMatch(/^true \(proves\) +exit 0 /m);
    const { status, landed } = await repository.land("work", "--proves", "true");
    const { details, reason } = landed.refused as { details: { decision: string }; reason: string };
    expect({ status, reason }).toEqual({
      status: 3,
      reason: expect.stringContaining("lockstep decide UD-1"),
    });
    return details.decision;
  }

  it("waits for a person, whose approval is valid for this work only", async () => {
    using repository = landRepository();
    const decision = await asked(repository);
    expect((await repository.run(["decide", decision, "approved"])).status).toBe(0);
    const { status, landed } = await repository.land("work", "--proves", "true");
    expect({ status, outcome: landed.outcome }).toEqual({ status: 0, outcome: "merged" });
    expect(landed.evidence).toContainEqual(expect.objectContaining({ command: "true", outcome: "vacuous" }));
  });

  it("is refused if the person rejects it, and asked about once", async () => {
    using repository = landRepository();
    const decision = await asked(repository);
    expect((await repository.land("work", "--proves", "true")).status).toBe(3);
    const open = await repository.run(["decide", "--json"]);
    expect(JSON.parse(open.stdout)).toHaveLength(1);
    expect((await repository.run(["decide", decision, "refused"])).status).toBe(0);
    const { status, landed } = await repository.land("work", "--proves", "true");
    expect({ status, reason: (landed.refused as { reason: string }).reason }).toEqual({
      status: 2,
      reason: expect.stringContaining("a person refused it"),
    });
  });

  it("asks no question in a dry run", async () => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    expect((await repository.land("work", "--proves", "true", "--dry-run")).status).toBe(3);
    expect(JSON.parse((await repository.run(["decide", "--json"])).stdout)).toEqual([]);
  });
});

describe("a branch without any check", () => {
  it("is refused, with the remedy", async () => {
    using repository = landRepository({ "package.json": "{}\n" });
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    const { status, landed } = await repository.land("work");
    expect({ status, refused: landed.refused }).toMatchObject({
      status: 2,
      refused: { code: "R-PC-003", reason: expect.stringContaining("--check") },
    });
    expect((await repository.land("work", "--check", "grep -q 2 f.js")).landed.outcome).toBe("merged");
  });
});

describe("changes that a merge makes beyond the branch's own", () => {
  it("have to be inside the scope: a renamed folder of the base takes the branch's new file with it", async () => {
    using repository = landRepository({ "old/a.txt": "a\n", "old/b.txt": "b\n" });
    repository.git("config", "merge.directoryRenames", "true");
    repository.branch("work", { "old/new.txt": "n\n" });
    repository.git("mv", "old", "elsewhere");
    repository.git("commit", "-qm", "renamed");
    const { status, landed } = await repository.land("work", "--scope", "old");
    expect({ status, refused: landed.refused }).toMatchObject({
      status: 2,
      refused: { details: expect.objectContaining({ outside: ["elsewhere/new.txt"] }) },
    });
  });
});

describe("the gate", () => {
  it.each<[string, Record<string, string>, Record<string, string | null>, string, string]>([
    ["syntax", {}, { "broken.js": "const = 1;\n" }, "broken.js", "fail"],
    ["syntax", {}, { "broken.json": "{,}\n" }, "broken.json", "fail"],
    ["imports", {}, { "a.mjs": 'import "./nowhere.mjs";\n' }, "a.mjs", "fail"],
    [
      "imports",
      { "user.js": 'require("./f.js");\n', ".lockstep/config.yaml": "tests: { weaken: allow }\n" },
      { "f.js": null, "test/f.test.js": "// nothing is left\n" },
      "user.js",
      "fail",
    ],
    [
      "conventions",
      { ".lockstep/systemPatterns.md": "rule: `console\\.log` in `**/*.js`: no logging\n" },
      { "g.js": 'console.log("x");\n' },
      "g.js",
      "fail",
    ],
    [
      "cross_reference",
      { "server.js": 'app.get("/api/users", list);\n' },
      { "client.js": 'fetch("/api/user");\n' },
      "client.js",
      "fail",
    ],
  ])("refuses work that fails its %s check", async (check, base, changes, path, result) => {
    using repository = landRepository(base);
    repository.branch("work", changes);
    const { status, landed } = await repository.land("work");
    const gate = landed.gate as { check: string; result: string; findings: { path: string }[] }[];
    const found = gate.find((one) => one.check === check);
    expect({ status, code: (landed.refused as { code: string }).code }).toEqual({
      status: 2,
      code: "R-GT-001",
    });
    expect({ result: found?.result, path: found?.findings[0]?.path }).toEqual({ result, path });
  });

  it("reports the basis of each check, and can be configured or switched off", async () => {
    using repository = landRepository({
      ".lockstep/config.yaml":
        'gate: { conventions: { command: ["sh", "-c", "test ! -e bad.txt"] }, syntax: off }\n',
    });
    repository.branch("work", { "broken.js": "const = 1;\n", "f.js": "exports.f = 2;\n" });
    const { landed } = await repository.land("work");
    const gate = landed.gate as { check: string; result: string }[];
    expect(Object.fromEntries(gate.map(({ check, result }) => [check, result]))).toEqual({
      file_conflict: "pass",
      tests: "pass",
      syntax: "not_configured",
      imports: "pass",
      conventions: "pass",
      cross_reference: "pass",
    });
  });
});

describe("the base", () => {
  const redBase = () => {
    const repository = landRepository();
    repository.write("f.js", "exports.f = 9;\n");
    repository.git("commit", "-qam", "red");
    return repository;
  };

  it("that fails its checks takes no branch that leaves them failing, unless failures are compared", async () => {
    using repository = redBase();
    repository.branch("work", { "other.js": "1\n" });
    const { status, landed } = await repository.land("work");
    expect({ status, outcome: landed.outcome }).toEqual({ status: 3, outcome: "waiting" });
    expect((landed.refused as { reason: string }).reason).toContain("already fails on the base");
    const shown = (await repository.run(["status"])).stdout;
    expect(shown).toContain("waiting for you");
    expect(shown).toContain("lockstep land work");
    const output = (await repository.run(["land", "work"])).stdout;
    expect(output).toMatch(
      /^waiting for a person: work; no question is open: do what the message names, then land again$/m,
    );
    expect((await repository.run(["decide"])).stdout).toContain("1 landing waits");
    expect((await repository.land("work", "--allow-red")).landed).toMatchObject({ outcome: "merged" });
    expect((await repository.run(["status"])).stdout).not.toContain("waiting for you");
  });

  it("that fails its checks takes the branch that repairs it, with or without a check that proves the repair", async () => {
    using repository = redBase();
    repository.branch("repair", { "f.js": "exports.f = 2;\n", "test/g.test.js": "process.exit(0);\n" });
    const { status, landed } = await repository.land("repair", "--proves", "node test/f.test.js");
    expect({ status, outcome: landed.outcome }).toEqual({ status: 0, outcome: "merged" });
    expect(landed.evidence).toMatchObject([
      {
        command: "node test/f.test.js",
        kind: "project",
        before: { exit: 1 },
        after: { exit: 0 },
        outcome: "pass",
      },
      {
        command: "node test/f.test.js",
        kind: "proves",
        before: { exit: 1 },
        after: { exit: 0 },
        outcome: "pass",
      },
      {
        command: "node test/f.test.js",
        kind: "judgement",
        before: { exit: 1 },
        after: { exit: 0 },
        outcome: "pass",
      },
    ]);
  });

  it("whose dependencies are not installed does not count as failing: the message names the missing program and the line to add", async () => {
    const agents = 'agents: { a: { adapter: command, run: "true" } }\n';
    using repository = landRepository({
      "package.json": '{"scripts":{"test":"nosuchlinter ."}}\n',
      ".lockstep/config.yaml": agents,
    });
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    const reason =
      "`npm test` cannot run on the base: the program `nosuchlinter` is missing, and nothing was installed (package.json names no dependencies); write `workspace: { setup: [";
    const { landed, stderr } = await repository.land("work");
    expect(landed.refused).toMatchObject({ code: "R-PC-003", reason: expect.stringContaining(reason) });
    expect(stderr).toContain("· nothing is installed: package.json names no dependencies\n");
    const run = await repository.run(["do", "x", "--scope", "f.js", "--json"]);
    expect(run.stderr + run.stdout).toContain(reason);
    repository.write(".lockstep/config.yaml", `workspace: { setup: ["sh set-up.sh"] }\n${agents}`);
    repository.write(
      "set-up.sh",
      "mkdir -p node_modules/.bin && echo 'exit 0' > node_modules/.bin/nosuchlinter && chmod +x node_modules/.bin/*\n",
    );
    repository.git("add", "-A");
    repository.git("commit", "-qm", "setup");
    const good = await repository.land("work");
    expect(good.landed).toMatchObject({ outcome: "merged" });
    expect(good.stderr).toContain("· setting up: sh set-up.sh (`workspace.setup`)\n");
    expect(good.stderr).not.toContain("nothing is installed");
  });

  it("that fails its checks is not repaired by a change of the failing test", async () => {
    using repository = redBase();
    repository.branch("repair", { "test/f.test.js": 'if (require("../f.js").f !== 9) process.exit(1);\n' });
    const { status, landed } = await repository.land("repair");
    expect({ status, refused: landed.refused }).toMatchObject({ status: 3, refused: { code: "R-TW-001" } });
  });

  it("that moves during the proof is proven again, and people's commits stay", async () => {
    using repository = landRepository();
    repository.branch("work", { "other.js": "1\n" });
    using running = repository.start(["land", "work", "--check", "sleep 1", "--json"]);
    await eventually("the check runs", () =>
      running.errors().includes("running on the merged tree: sleep 1") ? true : undefined,
    );
    repository.write("new.txt", "x\n");
    repository.git("add", "new.txt");
    repository.git("commit", "-qm", "meanwhile");
    const { status, stdout, stderr } = await running.ended;
    expect({ status, outcome: JSON.parse(stdout).outcome }).toEqual({ status: 0, outcome: "merged" });
    expect(stderr).toContain("moved in the meantime");
    expect(repository.git("log", "-1", "--format=%s", "HEAD^1")).toBe("meanwhile");
    expect(existsSync(join(repository.path, "other.js"))).toBe(true);
    expect(existsSync(join(repository.path, "new.txt"))).toBe(true);
  });

  it("that is checked out with conflicting local changes makes the landing wait, and nothing is lost", async () => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    repository.write("f.js", "exports.f = 1; // mine, not committed\n");
    const before = repository.git("rev-parse", "main");
    const { status, landed } = await repository.land("work");
    expect({ status, code: (landed.refused as { code: string }).code }).toEqual({
      status: 3,
      code: "R-GT-001",
    });
    expect(repository.git("rev-parse", "main")).toBe(before);
    expect(readFileSync(join(repository.path, "f.js"), "utf8")).toContain("mine");
    repository.git("checkout", "-q", "f.js");
    expect((await repository.land("work")).landed).toMatchObject({ outcome: "merged", task: "land-work" });
  });

  it.each<[string, Record<string, string>, Record<string, string>, Record<string, string | null>]>([
    ["an ignored file", { ".gitignore": "mine\n" }, { mine: "only here\n" }, { mine: "theirs\n" }],
    ["an ignored folder", { ".gitignore": "mine\n" }, { "mine/notes": "only here\n" }, { mine: "theirs\n" }],
    [
      "a file in the place of a new folder",
      { ".gitignore": "mine\n" },
      { mine: "only here\n" },
      { "mine/x": "theirs\n" },
    ],
    [
      "a file with the beginning of the new content",
      { "l.txt": "a\nb\nc\n" },
      { "l.txt": "a\nb\n" },
      { "l.txt": "a\nb\nX\n" },
    ],
  ])(
    "that is checked out with %s of a person's in the way makes the landing wait, and nothing is lost",
    async (_name, base, own, theirs) => {
      using repository = landRepository(base);
      const words = ["add", "-f", "--", ...Object.keys(theirs)];
      repository.git("checkout", "-q", "-b", "work");
      for (const [path, text] of Object.entries(theirs)) repository.write(path, text ?? "");
      repository.git(...words);
      repository.git("commit", "-qm", "theirs");
      repository.git("checkout", "-q", "main");
      for (const [path, text] of Object.entries(own)) repository.write(path, text);
      const { status, landed } = await repository.land("work");
      expect({ status, reason: (landed.refused as { reason: string }).reason }).toEqual({
        status: 3,
        reason: expect.stringContaining("you have uncommitted work at"),
      });
      for (const [path, text] of Object.entries(own))
        expect(readFileSync(join(repository.path, path), "utf8")).toBe(text);
    },
  );

  it("makes the landing wait while a person rebases it or has just switched branches", async () => {
    using repository = landRepository({ ".lockstep/config.yaml": "base_branch: main\n" });
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    repository.write(".git/rebase-merge/head-name", "refs/heads/main\n");
    repository.git("checkout", "-q", "--detach");
    const rebasing = await repository.land("work");
    expect(rebasing).toMatchObject({
      status: 3,
      landed: { refused: { reason: expect.stringContaining("being rebased") } },
    });
    repository.git("checkout", "-q", "main");
    rmSync(join(repository.path, ".git/rebase-merge"), { recursive: true });
    // A git that switches the branch once, just before the landing.
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const late = `#!/bin/sh\nfor word; do if [ "$word" = --ff-only ] && [ ! -e "${repository.path}/state/once" ]; then touch "${repository.path}/state/once"; ${real} -C "${repository.path}" switch -q feature; fi; done\nexec ${real} "$@"\n`;
    using beside = temporaryFolder();
    chmodSync(beside.write("git", late), 0o755);
    repository.git("commit", "-q", "--allow-empty", "-m", "newer than feature");
    repository.git("branch", "feature", "main~1");
    const feature = repository.git("rev-parse", "feature");
    const before = repository.git("rev-parse", "main");
    const env = { PATH: `${beside.path}:${process.env.PATH}` };
    const switched = await repository.run(["land", "work", "--json"], { env });
    expect(switched.status, switched.stderr).toBe(3);
    expect(repository.git("rev-parse", "main", "feature")).toBe(`${before}\n${feature}`);
    expect(repository.git("status", "--porcelain", "--untracked-files=no")).toBe("");
    expect(JSON.parse((await repository.run(["task", "list", "--json"])).stdout)).toEqual([]);
  });

  it("may have a tag of the same name", async () => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    repository.git("tag", "main");
    expect((await repository.land("work")).landed).toMatchObject({ outcome: "merged", base: "main" });
  });

  it("that is not checked out moves by compare and swap", async () => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    repository.write(".lockstep/config.yaml", "base_branch: main\n");
    repository.git("checkout", "-q", "-b", "elsewhere");
    expect((await repository.land("work")).landed).toMatchObject({ outcome: "merged", base: "main" });
    expect(repository.git("show", "main:f.js")).toBe("exports.f = 2;");
    expect(readFileSync(join(repository.path, "f.js"), "utf8")).toBe("exports.f = 1;\n");
  });
});

describe("a dry run", () => {
  it("proves and moves nothing", async () => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    const before = repository.git("rev-parse", "main");
    expect((await repository.land("work", "--dry-run")).landed).toMatchObject({ outcome: "proven" });
    expect(repository.git("rev-parse", "main")).toBe(before);
  });
});

describe("unsupported content", () => {
  it.each<[string, (repository: LandRepository) => void, string]>([
    [
      "a branch that does not exist",
      () => {},
      "there is no branch, tag or commit `work`: `git branch --all`",
    ],
    [
      "a branch with an unrelated history",
      (one) => {
        one.git("checkout", "-q", "--orphan", "work");
        one.git("commit", "-qm", "apart");
        one.git("checkout", "-q", "main");
      },
      "has no commit in common with the base",
    ],
    [
      "a base branch that does not exist",
      (one) => void one.git("checkout", "-q", "--orphan", "empty"),
      "there is no branch `empty` here",
    ],
    [
      "a sparse checkout",
      (one) => one.git("config", "core.sparseCheckout", "true"),
      "git sparse-checkout disable",
    ],
    ["a detached head", (one) => one.git("checkout", "-q", "--detach"), "no branch is checked out"],
  ])("is refused with its name: %s", async (_name, prepare, text) => {
    using repository = landRepository();
    prepare(repository);
    const { status, stderr } = await repository.run(["land", "work"]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(text) });
  });

  it("is refused to agents", async () => {
    using repository = landRepository();
    const run = await repository.run(["land", "work"], {
      env: { LOCKSTEP_TASK: "T-1", LOCKSTEP_EPOCH: "1" },
    });
    expect(run).toMatchObject({ status: 2, stderr: expect.stringContaining("R-AU-001") });
  });
});

describe("unreadable conventions of the base", () => {
  it("are a configuration error, reported with the line before any check runs", async () => {
    using repository = landRepository({
      ".lockstep/systemPatterns.md": "# Rules\n\nrule: `(` in `**`: broken\n",
    });
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    const { status, stderr } = await repository.run(["land", "work"]);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining("E-CONFIG: .lockstep/systemPatterns.md:3:"),
    });
    expect(stderr).not.toContain("npm test");
  });
});
