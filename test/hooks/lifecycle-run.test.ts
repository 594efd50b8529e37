import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type HookedRepository, hooked, program, programAgent, resultOf } from "../support/hooked-run.ts";
import { answer, awaits, task, writes } from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";
import { missing } from "../support/sandboxed.ts";

const good = { a: [[writes("A"), answer("OK")]] };

async function runMovingBase(repository: HookedRepository, file: string, text: string) {
  using running = repository.start(["run", "--json"], { env: repository.env });
  await eventually("the agent works", () => running.errors().includes("begun") || undefined);
  repository.write(file, text);
  repository.git("add", file);
  repository.git("commit", "-qm", "by a person");
  repository.write("state/go", "");
  return resultOf(await running.ended);
}

describe("a run without any hooks configured", () => {
  it("has `create_pr` alone, which is skipped and reported as skipped", async () => {
    using repository = hooked({ agents: good, tasks: [task("A", "a")] });
    const { status, stderr } = await repository.conduct();
    expect(status, stderr).toBe(0);
    expect(await repository.hooksRun()).toEqual(["before_submit create_pr SKIP"]);
    // Only in the record, not in the output.
    expect(stderr).not.toContain("create_pr");
    expect(repository.ghCalls()).toEqual([]);
  });

  it("opens a pull request if work is integrated by pull requests", async () => {
    using repository = hooked({ agents: good, tasks: [task("A", "a")], config: "integrate: pr\n" });
    const { states, stderr } = await repository.conduct();
    expect(states, stderr).toEqual({ A: "REVIEW" });
    expect(await repository.hooksRun()).toEqual(["before_submit create_pr SUCCESS"]);
    expect(repository.ghCalls()).toContain(
      "pr create --base main --head lockstep/A --title [A] do A --body-file -",
    );
    expect(repository.remote("show", "lockstep/A:A.txt")).toBe("made");
  });

  it("stores the address of the pull request, which the hook found, with its task", async () => {
    using repository = hooked({ agents: good, tasks: [task("A", "a")], config: "integrate: pr\n" });
    const { done } = await repository.conduct();
    for (const words of [["status"], ["task", "list"]]) {
      const { stdout } = await repository.run([...words, "--json"]);
      const shown = JSON.parse(stdout) as { tasks?: readonly object[] };
      expect(shown.tasks ?? shown, words.join(" ")).toMatchObject([
        { key: `${done.session}/A`, pr_url: "https://127.0.0.1/pull/1" },
      ]);
    }
    expect((await repository.run(["task", "show", "A"])).stdout).toMatch(
      /^pr +https:\/\/127\.0\.0\.1\/pull\/1$/m,
    );
  });

  it("does not push work with a secret or with failing checks", async () => {
    const key = ["AKIA", "2E0A8F3B244C9986"].join("");
    using repository = hooked({
      agents: {
        a: [[`write: { path: A.txt, text: "key ${key}\\n" }`, answer("OK")]],
        b: [["write: { path: B.bak, text: x }", answer("OK")]],
      },
      tasks: [task("A", "a"), task("B", "b").replace("[B.txt]", "[B.txt, B.bak]")],
      config: "integrate: pr\n",
    });
    const { stderr } = await repository.conduct();
    expect(stderr).toContain("contains a secret");
    expect(repository.remote("branch", "--list", "lockstep/*")).toBe("");
  });

  it("runs none for an agent that changed nothing or failed", async () => {
    using repository = hooked({
      agents: { a: [[answer("OK")]], b: [[writes("B"), answer("BLOCKED")]] },
      tasks: [task("A", "a"), task("B", "b")],
    });
    await repository.conduct();
    expect(await repository.hooksRun()).toEqual([]);
  });
});

describe("`rebase_on_main` in a run", () => {
  const config = "integrate: pr\nhooks: { before_submit: [rebase_on_main, create_pr] }\n";

  it.each(["auto", "strict", "off"])(
    "with the sandbox %s rebases the work on the current base, and proposes the rebased work",
    async (sandbox) => {
      using repository = hooked({
        agents: { a: [["say: begun", awaits, writes("A"), answer("OK")]] },
        tasks: [task("A", "a")],
        config: `${config}sandbox: ${sandbox}\n`,
      });
      const { stderr } = await runMovingBase(repository, "other.txt", "by a person\n");
      expect(await repository.hooksRun(), stderr).toEqual([
        "before_submit rebase_on_main SUCCESS",
        "before_submit create_pr SUCCESS",
      ]);
      const main = repository.git("rev-parse", "main");
      expect(repository.remote("rev-parse", "lockstep/A~1")).toBe(main);
      expect(repository.remote("diff", "--name-only", "lockstep/A~1", "lockstep/A")).toBe("A.txt");
    },
  );

  it("with a conflict asks the agent, tries again, and then proposes the fixed work", async () => {
    const fixes = program(`
const { setTimeout: sleep } = await import("node:timers/promises");
if (input.fix_delta === null) {
  console.log("begun");
  while (!existsSync(process.env.LOCKSTEP_ROOT + "/state/go")) await sleep(50);
  writeFileSync("A.txt", "agent\\n");
} else {
  console.log("found " + JSON.stringify(readFileSync("A.txt", "utf8")));
  console.log("guidance " + input.fix_delta.guidance.includes('- "A.txt"'));
  writeFileSync("A.txt", "agent and person\\n");
}
answer("OK");`);
    using repository = hooked({
      agents: {},
      tasks: [task("A", "fixer")],
      config: programAgent("fixer") + config,
      files: { "agents/fixer.mjs": fixes, "A.txt": "base\n" },
    });
    const { stderr } = await runMovingBase(repository, "A.txt", "person\n");
    expect(await repository.hooksRun(), stderr).toEqual([
      "before_submit rebase_on_main SKIP",
      "before_submit create_pr SUCCESS",
    ]);
    expect(stderr).toContain(
      'before_submit: rebase_on_main: FAILURE: the rebase on `main` conflicts in "A.txt"',
    );
    expect(stderr).toMatch(/found "<<<<<<< .*person.*agent/);
    expect(stderr).toContain("guidance true");
    expect(repository.remote("show", "lockstep/A:A.txt")).toBe("agent and person");
    expect(repository.remote("rev-parse", "lockstep/A~1")).toBe(repository.git("rev-parse", "main"));
  });

  it("with a conflict that the agent leaves ends with its code, and nothing is proposed", async () => {
    using repository = hooked({
      agents: {
        a: [
          ["say: begun", awaits, 'append: { path: A.txt, text: "agent\\n" }', answer("OK")],
          [answer("OK")],
        ],
      },
      tasks: [task("A", "a")],
      config: "hooks: { before_submit: [rebase_on_main, create_pr] }\n",
      files: { "A.txt": "base\n" },
    });
    const { status, done } = await runMovingBase(repository, "A.txt", "person\n");
    expect(done.tasks[0]).toMatchObject({ code: "R-HK-001", details: { hook: "rebase_on_main" } });
    expect(status).not.toBe(0);
    expect(await repository.hooksRun()).not.toContain("before_submit create_pr SKIP");
    expect(repository.git("show", "main:A.txt")).toBe("person");
  });
});

describe("the hooks of a task", () => {
  const deny = (reason: string) => `echo '{"allow":false,"code":"X","reason":"${reason}"}'; exit 2`;
  const config = `
hooks: { before_submit: [{ command: [sh, hooks/pass.sh, project] }] }
task_types:
  product:
    hooks: { before_submit: [run_tests, { command: [sh, hooks/pass.sh, product] }] }
  plain: {}
`;
  const pass = `cat > /dev/null; echo '{"allow":true,"code":"OK","reason":"fine","details":{}}'\n`;

  it("are those of its type, or else the project's", async () => {
    using repository = hooked({
      agents: {
        a: [[writes("A"), answer("OK")]],
        b: [[writes("B"), answer("OK")]],
        c: [[writes("C"), answer("OK")]],
      },
      tasks: [task("A", "a", ", type: product"), task("B", "b"), task("C", "c", ", type: plain")],
      config,
      files: { "hooks/pass.sh": pass },
    });
    const { status, stderr } = await repository.conduct();
    expect(status, stderr).toBe(0);
    expect([...(await repository.hooksRun())].sort()).toEqual([
      "before_submit run_tests SUCCESS",
      "before_submit sh hooks/pass.sh product SUCCESS",
      "before_submit sh hooks/pass.sh project SUCCESS",
      "before_submit sh hooks/pass.sh project SUCCESS",
    ]);
  });

  it("that fail before the submission stop it with their code", async () => {
    using repository = hooked({
      agents: good,
      tasks: [task("A", "a")],
      config: "hooks: { before_submit: [{ command: [sh, hooks/no.sh] }, create_pr] }\n",
      files: { "hooks/no.sh": deny("not on a Friday") },
    });
    const { status, done } = await repository.conduct();
    expect(status).not.toBe(0);
    expect(done.tasks[0]).toMatchObject({
      code: "R-HK-001",
      details: { needs_continuation: "hook_failure" },
    });
    expect(await repository.hooksRun()).not.toContain("before_submit create_pr SKIP");
  });

  it("that find failing tests have the agent fix them before the submission", async () => {
    const fixes = program(`
writeFileSync("f.js", input.fix_delta === null ? "exports.f = 3;\\n" : "exports.f = 2;\\n");
answer("OK");`);
    using repository = hooked({
      agents: {},
      tasks: ['{ id: A, goal: do A, agent: fixer, lock_scope: [f.js], acceptance_checks: ["cmd: true"] }'],
      config: `${programAgent("fixer")}hooks: { before_submit: [run_tests] }\n`,
      files: { "agents/fixer.mjs": fixes },
    });
    const { status, done, stderr } = await repository.conduct();
    expect(status, stderr).toBe(0);
    expect(done.tasks[0]).toMatchObject({ state: "MERGED", attempts: 1 });
    expect(repository.git("show", "main:f.js")).toBe("exports.f = 2;");
    const log = readFileSync(join(repository.path, `.agents-work/${done.session}/worklogs/A.md`), "utf8");
    const entry = log.split("\n").find((line) => line.includes('"hand in"'));
    expect(JSON.parse(entry ?? "{}")).toMatchObject({ commits_count: 1, turns_used: 2 });
  });

  it("that fail after the merge cause a warning, and the work is merged", async () => {
    const no = "{ command: [sh, hooks/no.sh] }";
    using repository = hooked({
      agents: good,
      tasks: [task("A", "a")],
      config: `hooks: { before_submit: [], after_submit: [${no}], after_merge: [${no}] }\n`,
      files: { "hooks/no.sh": deny("too late") },
    });
    const { status, stderr, done } = await repository.conduct();
    expect(status, stderr).toBe(0);
    expect(await repository.hooksRun()).toEqual([
      "after_submit sh hooks/no.sh FAILURE",
      "after_merge sh hooks/no.sh FAILURE",
    ]);
    const progress = readFileSync(join(repository.path, `.agents-work/${done.session}/progress.md`), "utf8");
    expect(progress).toContain("warning, after_merge: sh hooks/no.sh");
  });

  it("that fail before the merge reject the work with the required fixes", async () => {
    using repository = hooked({
      agents: {
        a: [
          [writes("A"), answer("OK")],
          ['write: { path: A.txt, text: "signed\\n" }', answer("OK")],
        ],
      },
      tasks: [task("A", "a")],
      config: "hooks: { before_merge: [{ command: [sh, hooks/signed.sh] }] }\n",
      files: {
        "hooks/signed.sh": `tree=$(sed 's/.*"worktree":"\\([^"]*\\)".*/\\1/')\ngit grep -q signed lockstep/A -- A.txt || { ${deny("it is not signed")}; }\necho '{"allow":true,"code":"OK","reason":"signed","details":{}}'\n`,
      },
    });
    const { status, stderr, done } = await repository.conduct();
    expect(status, stderr).toBe(0);
    expect(done.tasks[0]).toMatchObject({ state: "MERGED", attempts: 2 });
    expect(stderr).toContain("R-HK-001");
    expect(stderr).toContain("to fix: `sh hooks/signed.sh` failed");
  });

  it.skipIf(missing)(
    "that are programs see the agent's checkout, and can write neither there nor in the project",
    async () => {
      const resultOf = [
        `'{"hook_point":"before_submit","task_id":"A","task_title":"do A","task_path":".agents-work/'*'/tasks.yaml",'`,
        `'"task_type":"product","branch_name":"lockstep/A","base_branch":"main","worktree":"/'*'",'`,
        `'"agent_name":"a","commits_count":1,"extra":{"skip_pr":false}}'`,
      ].join("");
      using repository = hooked({
        agents: good,
        tasks: [task("A", "a", ", type: product")],
        config: "hooks: { before_submit: [{ command: [sh, hooks/look.sh] }] }\ntask_types: { product: {} }\n",
        files: {
          "hooks/look.sh": `context=$(cat)\ncase $context in ${resultOf}) ;; *) echo "$context" >&2; exit 1 ;; esac\ntree=$(echo "$context" | sed 's/.*"worktree":"\\([^"]*\\)".*/\\1/')\ntouch "$tree/x" hooks/x 2> /dev/null && exit 1\ntest -e "$tree/A.txt" && echo '{"allow":true,"code":"OK","reason":"seen","details":{}}'\n`,
        },
      });
      const { status, stderr } = await repository.conduct();
      expect(status, stderr).toBe(0);
      expect(await repository.hooksRun()).toEqual(["before_submit sh hooks/look.sh SUCCESS"]);
      expect(existsSync(join(repository.path, "hooks/x"))).toBe(false);
    },
  );
});

describe("a task with `skip_pr`", () => {
  it("is merged directly while other tasks are proposed", async () => {
    using repository = hooked({
      agents: { a: [[writes("A"), answer("OK")]], b: [[writes("B"), answer("OK")]] },
      tasks: [task("A", "a", ", skip_pr: true"), task("B", "b")],
      config: "integrate: pr\n",
    });
    const { states, stderr } = await repository.conduct();
    expect(states, stderr).toEqual({ A: "MERGED", B: "REVIEW" });
    expect(repository.remote("branch", "--list", "--format=%(refname:short)")).toBe("lockstep/B");
  });
});

describe("work that is proposed again after a rejection", () => {
  it("replaces the earlier push in the same pull request", async () => {
    const reviewer = program(`
const first = readFileSync("A.txt", "utf8") === "made\\n";
answer(first ? "FAIL" : "OK", first ? ["high: A.txt: more"] : []);`);
    using repository = hooked({
      agents: {
        a: [
          [writes("A"), answer("OK")],
          ['append: { path: A.txt, text: "more\\n" }', answer("OK")],
        ],
      },
      tasks: [task("A", "a", ", type: product")],
      config: `${programAgent("looks", "Reviewer")}integrate: pr\ntask_types: { product: { agents: { gatekeeper: [looks] } } }\n`,
      files: { "agents/looks.mjs": reviewer },
    });
    const { states, stderr } = await repository.conduct();
    expect(states, stderr).toEqual({ A: "REVIEW" });
    expect(await repository.hooksRun()).toEqual([
      "before_submit create_pr SUCCESS",
      "before_submit create_pr SUCCESS",
    ]);
    expect(repository.remote("show", "lockstep/A:A.txt")).toBe("made\nmore");
    expect(repository.ghCalls().filter((call) => call.startsWith("pr create"))).toHaveLength(1);
  });
});
