import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findFault } from "../../src/clients/process/find-program.ts";
import { defaultConfig } from "../../src/contract/default-config.ts";
import { withDefaultAgent } from "../../src/run/conduct/default-agent.ts";
import { chooseSandbox } from "../../src/workspace/sandbox/choose-sandbox.ts";
import { checksByName, type LandRepository, landRepository } from "../support/land-repository.ts";
import { eventually } from "../support/run-command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const answer =
  "answer: { status: OK, summary: said so, artifacts: { files_changed: [], commands_to_run: [], notes: [] }, gates: { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] }, next: { recommended_agent: Orchestrator, recommended_task_id: same, reason: x } }";
const chosen = await chooseSandbox("auto");
const hasSandbox = "sandbox" in chosen && chosen.sandbox.enforces;
/** Writes its own name into the file of its task. */
const agent = (name: string) =>
  `steps:\n  - run: { command: "echo ${name} > \\"$(basename $LOCKSTEP_TASK).txt\\"" }\n  - ${answer}\n`;

interface RunOptions {
  readonly tasks?: readonly string[];
  readonly config?: string;
  readonly files?: Readonly<Record<string, string>>;
}

const task = (id: string, more = "") =>
  `{ id: ${id}, goal: do ${id}, lock_scope: [${id}.txt], acceptance_checks: ["cmd: test -e ${id}.txt"]${more} }`;

function planned({
  tasks = [task("A", ", agent: ann")],
  config = "",
  files = {},
}: RunOptions = {}): LandRepository {
  return landRepository({
    "agents/ann.yaml": agent("ann"),
    "agents/bob.yaml": agent("bob"),
    ".gitignore": "state\n.agents-work\n",
    ".lockstep/config.yaml": `agents:\n  ann: { adapter: script, run: [agents/ann.yaml] }\n  bob: { adapter: script, run: [agents/bob.yaml] }\n${checksByName}${config}`,
    "tasks.yaml": `project: { name: shop }\ntasks:\n${tasks.map((one) => `  - ${one}\n`).join("")}`,
    ...files,
  });
}

const states = (stdout: string) =>
  Object.fromEntries(
    (JSON.parse(stdout).tasks as { id: string; state: string }[]).map(({ id, state }) => [
      id.split("/").at(-1),
      state,
    ]),
  );

describe("run --agent", () => {
  it("gives every task to that agent, whichever agent the plan names", async () => {
    using repository = planned({ tasks: [task("A", ", agent: ann"), task("B")] });
    const { status, stderr } = await repository.run(["run", "--agent", "bob"]);
    expect(status, stderr).toBe(0);
    expect(repository.git("show", "main:A.txt")).toBe("bob");
    expect(repository.git("show", "main:B.txt")).toBe("bob");
  });

  it.each<[string, RunOptions, readonly string[], string]>([
    [
      "an unknown agent",
      {},
      ["run", "--agent", "bop"],
      "E-CONFIG: there is no agent `bop`: did you mean `bob`? Name one of `ann`, `bob`",
    ],
    [
      "an unknown agent, in `do`",
      {},
      ["do", "x", "--agent", "zzzz"],
      "E-CONFIG: there is no agent `zzzz`: name one of `ann`, `bob`",
    ],
    [
      "an agent that may not do the task's type",
      {
        tasks: [task("A", ", type: product")],
        config: "task_types: { product: { agents: { implementer: [ann] } } }\n",
      },
      ["run", "--agent", "bob"],
      "E-PLAN: task `A` is a `product`, which `bob` may not do: leave --agent out, or name `ann`",
    ],
    [
      "a scope that leaves the project, by the option's name",
      {},
      ["do", "x", "--scope", "../x"],
      "E-PLAN: --scope is `../x`: expected a path or glob inside the project (it leaves the project)",
    ],
    [
      "no number",
      {},
      ["run", "--max-parallel", "many"],
      "R-IN-001: --max-parallel takes a whole number of at least 1, not `many`",
    ],
    [
      "a maximum of zero",
      {},
      ["run", "--max-parallel", "0"],
      "R-IN-001: --max-parallel takes a whole number of at least 1, not `0`",
    ],
    [
      "a maximum above the limit",
      {},
      ["run", "--max-parallel", "9"],
      "E-CONFIG: --max-parallel 9 is more than `limits.max_active`, which is 8: raise that first",
    ],
  ])("refuses %s before anything starts", async (_title, request, words, message) => {
    using repository = planned(request);
    const { status, stderr } = await repository.run(words);
    expect({ status, stderr }).toEqual({ status: 2, stderr: `lockstep: ${message}\n` });
    expect(existsSync(join(repository.path, ".agents-work"))).toBe(false);
  });
});

describe("run --max-parallel", () => {
  it("limits the number of concurrent tasks", async () => {
    const noted = `steps:\n  - run: { command: "echo starts >> $HOME/.meet/log; sleep 0.5; echo ends >> $HOME/.meet/log; touch $(basename $LOCKSTEP_TASK).txt" }\n  - ${answer}\n`;
    using repository = planned({
      tasks: [task("A", ", agent: ann"), task("B", ", agent: ann")],
      config: "workspace: { home: [.meet] }\n",
      files: { "agents/ann.yaml": noted },
    });
    repository.write("state/.meet/log", "");
    const env = { HOME: join(repository.path, "state") };
    const { status, stderr } = await repository.run(["run", "--max-parallel", "1"], { env });
    expect(status, stderr).toBe(0);
    const log = readFileSync(join(repository.path, "state/.meet/log"), "utf8");
    expect(log).toBe("starts\nends\nstarts\nends\n");
  });
});

describe("a plan with several errors", () => {
  it("has a line for each, and suggests a similar word", async () => {
    using repository = planned({
      tasks: ["{ id: A, gaol: x, lock_scop: [a], acceptance_checks: ['cmd: true'] }"],
    });
    const { status, stderr } = await repository.run(["run"]);
    expect({ status, lines: stderr.trimEnd().split("\n") }).toEqual({
      status: 2,
      lines: [
        "lockstep: E-PLAN: tasks.yaml:3:14: `tasks[0].gaol` is not a known key: did you mean `goal`?",
        "lockstep: E-PLAN: tasks.yaml:3:23: `tasks[0].lock_scop` is not a known key: did you mean `lock_scope`?",
      ],
    });
    const { stdout } = await repository.run(["run", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      code: "E-PLAN",
      details: { problems: [/gaol/, /lock_scop/].map((one) => expect.stringMatching(one)) },
    });
  });
});

describe("a plan with completed tasks", () => {
  const done = task("B", ", agent: bob, status: completed");

  it("keeps them, and reports that they are not proven", async () => {
    using repository = planned({ tasks: [done, task("A", ", agent: ann, depends_on: [B]")] });
    const { status, stdout, stderr } = await repository.run(["run"]);
    expect(status, stderr).toBe(0);
    expect(stderr).toContain("neither verified nor run again: B\n");
    expect(stdout).toContain("1 of 1 task merged into main");
    expect(repository.git("ls-tree", "--name-only", "main", "A.txt", "B.txt")).toBe("A.txt");
    expect(await repository.run(["run"])).toMatchObject({ status: 0 });
  });

  it("may be another tool's session, which resume names", async () => {
    using repository = planned();
    repository.write(".agents-work/2026-02-14_shop/tasks.yaml", `tasks:\n  - ${task("A", ", agent: ann")}\n`);
    const { status, stderr } = await repository.run(["resume"]);
    expect(status).toBe(2);
    const [, way = ""] = /`lockstep (run [^`]+)`/.exec(stderr) ?? [];
    expect(await repository.run(way.split(" "))).toMatchObject({ status: 0 });
    expect(repository.git("ls-tree", "--name-only", "main", "A.txt")).toBe("A.txt");
  });

  it("is refused if no task is left", async () => {
    using repository = planned({ tasks: [done] });
    const { status, stderr } = await repository.run(["run"]);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining("E-PLAN: the plan marks all"),
    });
  });
});

describe("a base whose own checks fail", () => {
  const red = { "test/f.test.js": 'console.log("1 failing: rounds"); process.exit(1);\n' };

  it("stops the run before any agent starts, with the next step", async () => {
    using repository = planned({ files: red });
    const { status, stdout, stderr } = await repository.run(["run"]);
    expect(status).toBe(3);
    expect(stderr).toContain(
      "lockstep: R-GT-001: `node test/f.test.js` already fails on `main` (exit 1), so nothing can be verified: fix `main` first, or pass --allow-red to tolerate checks that fail the same way before and after\n",
    );
    expect(stdout).toContain("output of node test/f.test.js:\n");
    expect(stdout).toContain("  1 failing: rounds\n");
    expect(stderr).not.toContain("started by");
    const document = JSON.parse((await repository.run(["run", "--json"])).stdout);
    expect(document).toMatchObject({ outcome: "waiting", tasks: [], refused: { code: "R-GT-001" } });
  });

  it.runIf(hasSandbox)("is not blamed for a command that fails only in the sandbox", async () => {
    const writing = 'require("node:fs").writeFileSync(`${require("node:os").homedir()}/.shop`, "x");\n';
    const message =
      /`node test\/f\.test\.js` fails on (`main`|the base) in the sandbox: it writes to \S+\/\.shop, outside/;
    using repository = planned({ files: { "test/f.test.js": writing } });
    const { status, stderr } = await repository.run(["run"]);
    expect(status).toBe(3);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain("--allow-red");
    repository.git("branch", "change");
    expect((await repository.run(["land", "change"])).stderr).not.toContain("--allow-red");
    // One of the remedies that it names.
    const config = readFileSync(join(repository.path, ".lockstep/config.yaml"), "utf8");
    repository.write(".lockstep/config.yaml", config.replace('"node test', '"HOME=$TMPDIR node test'));
    expect(await repository.run(["run"])).toMatchObject({ status: 0 });
  });

  it("is not reported if a person interrupts the setup: exit 130, and no session is left", async () => {
    using repository = planned({
      config: 'workspace: { setup: ["sleep 60"] }\n',
    });
    using running = repository.start(["run"]);
    await eventually("the setup", () => (running.errors().includes("setting up") ? true : undefined));
    running.process.kill("SIGINT");
    const { status, stderr } = await running.ended;
    expect(status).toBe(130);
    expect(stderr).toMatch(/^lockstep: stopped while setting up: .*; no agent was started$/m);
    expect(readdirSync(join(repository.path, ".agents-work"))).toEqual([]);
  });

  it("counts a command of the gate among its checks", async () => {
    using repository = planned({ config: "gate: { syntax: { command: [test, -e, 'no such'] } }\n" });
    const { status, stderr } = await repository.run(["run"]);
    expect(status).toBe(3);
    expect(stderr).toContain("R-GT-001: `'test' '-e' 'no such'` already fails on `main` (exit 1)");
  });

  it("is allowed with --allow-red: an unchanged failure does not count against a task, and is reported", async () => {
    using repository = planned({ files: red });
    const { status, stdout, stderr } = await repository.run(["run", "--allow-red"]);
    expect(status, stderr).toBe(0);
    expect(stderr).toContain(
      "`node test/f.test.js` already fails on the base (exit 1): tolerated while it fails the same way",
    );
    expect(stdout).toContain("proof: node test/f.test.js (fails as before); test -e A.txt (failed before)\n");
  });

  it("does not excuse a task that makes them fail differently", async () => {
    const worse = `steps:\n  - write: { path: A.txt, text: "x" }\n  - write: { path: f.js, text: "exports.f = 9;\\n" }\n  - ${answer}\n`;
    using repository = planned({
      tasks: [task("A", ", agent: ann").replace("[A.txt]", "[A.txt, f.js]"), task("B", ", agent: bob")],
      files: {
        "agents/ann.yaml": worse,
        "test/f.test.js":
          'const { f } = require("../f.js");\nconsole.log("FAIL rounds");\nif (f > 2) console.log("FAIL adds");\nprocess.exit(1);\n',
      },
    });
    const { status, stdout } = await repository.run(["run", "--allow-red", "--json"]);
    expect(status).toBe(3);
    expect(states(stdout)).toEqual({ A: "ESCALATED", B: "MERGED" });
    expect(JSON.parse(stdout).tasks[0]).toMatchObject({ code: "R-PC-002" });
  });

  it("with --allow-red lets a command of the gate fail as before, too", async () => {
    using repository = planned({ config: "gate: { syntax: { command: [test, -e, 'no such'] } }\n" });
    const { status, stderr } = await repository.run(["run", "--allow-red"]);
    expect(status, stderr).toBe(0);
  });
});

describe("without configured agents", () => {
  const programs = (...names: string[]) => {
    const folder = temporaryFolder(Object.fromEntries(names.map((name) => [name, "#!/bin/sh\n"])));
    for (const name of names) chmodSync(join(folder.path, name), 0o755);
    return folder;
  };

  const gitOnly = () => {
    const folder = temporaryFolder();
    const git = (process.env.PATH ?? "")
      .split(":")
      .find((path) => findFault("git", { root: "/", path }) === undefined);
    symlinkSync(join(git ?? "", "git"), join(folder.path, "git"));
    return folder;
  };

  it("the first client that is on PATH does the work", () => {
    using folder = programs("copilot", "gemini", "codex");
    const found = withDefaultAgent(defaultConfig, { path: folder.path, root: folder.path });
    expect(found).toMatchObject({ agents: { codex: { adapter: "codex", role: "Coder", args: [] } } });
    expect(Object.keys((found as typeof defaultConfig).agents)).toEqual(["codex"]);
  });

  it("the requested client does it, if it is installed", () => {
    using folder = programs("codex", "gemini");
    const at = { path: folder.path, root: folder.path };
    expect(withDefaultAgent(defaultConfig, { ...at, wanted: "gemini" })).toMatchObject({
      agents: { gemini: { adapter: "gemini" } },
    });
    expect(withDefaultAgent(defaultConfig, { ...at, wanted: "claude" })).toMatchObject({ code: "R-AG-001" });
  });

  it("without a client a run reports that before anything starts", async () => {
    using repository = landRepository({ "tasks.yaml": `tasks:\n  - ${task("A")}\n`, ".gitignore": "bin\n" });
    using bin = gitOnly();
    const { status, stderr } = await repository.run(["run"], { env: { PATH: bin.path } });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        "lockstep: R-AG-001: no agents are configured, and none of claude, codex, gemini, opencode, copilot is on PATH: install one, or list `agents` in .lockstep/config.yaml\n",
    });
    expect(existsSync(join(repository.path, ".agents-work"))).toBe(false);
  });

  it.each([
    ["a cycle", ["run"], "tasks:\n  - { id: A, goal: a, lock_scope: [a], depends_on: [A] }\n", "E-PLAN"],
    ["broken YAML", ["run", "--dry-run"], "tasks: [\n", "E-PLAN"],
    ["no task", ["run"], "tasks: []\n", "E-PLAN"],
    ["a wrong --tokens", ["run", "--tokens", "x"], `tasks:\n  - ${task("A")}\n`, "R-IN-001: --tokens takes"],
    [
      "a wrong --max-parallel",
      ["run", "--max-parallel", "x"],
      "tasks: []\n",
      "R-IN-001: --max-parallel takes",
    ],
    ["an agent that is not known", ["run"], `tasks:\n  - ${task("A", ", agent: nobody")}\n`, "R-AG-001"],
  ])("without a client, %s is reported first", async (_what, words, plan, said) => {
    using repository = landRepository({ "tasks.yaml": plan, ".gitignore": "bin\n" });
    using bin = gitOnly();
    const { status, stderr } = await repository.run(words, { env: { PATH: bin.path } });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(`^lockstep: ${said}`) });
  });
});
