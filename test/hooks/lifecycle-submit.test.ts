import { describe, expect, it } from "vitest";
import type { HookPorts } from "../../src/hooks/lifecycle/hook-ports.ts";
import { resolveHooks } from "../../src/hooks/lifecycle/resolve-hooks.ts";
import { contextOf, runHooks } from "../../src/hooks/lifecycle/run-hooks.ts";
import { type Submission, submitWithRemediation } from "../../src/hooks/lifecycle/submit-with-remediation.ts";
import { configured, type LifecycleGround, lifecycleGround } from "../support/lifecycle-ground.ts";
import { configOf, ownConfig } from "../support/loaded-config.ts";

const allow = (details: object) =>
  `echo '${JSON.stringify({ allow: true, code: "OK", reason: "fine", details })}'`;
const command = (script: string) => ({ command: ["sh", "-c", script] });
const deny = (reason: string) => command(`echo '{"allow":false,"code":"X-1","reason":"${reason}"}'; exit 2`);

/** A project with this command as its tests. */
const testedBy = (test: string) => ({ "package.json": JSON.stringify({ scripts: { test } }) });

describe("a list of hooks", () => {
  it("succeeds if it is empty", async () => {
    using ground = await lifecycleGround();
    expect(await runHooks([], ground.context, ground.ports)).toEqual({ ok: true, results: [], warnings: [] });
  });

  it("runs in order, and each hook gets the results of those before it", async () => {
    using ground = await lifecycleGround();
    const hooks = configured(
      command(allow({ one: 1, both: "first" })),
      command(`grep -q '"extra":{"given":0,"one":1,"both":"first"}' && ${allow({ both: "second" })}`),
      command(`grep -q '"extra":{"given":0,"one":1,"both":"second"}' && ${allow({})}`),
    );
    const { ok, results } = await runHooks(hooks, { ...ground.context, extra: { given: 0 } }, ground.ports);
    expect(ok, JSON.stringify(results)).toBe(true);
    expect(results).toHaveLength(3);
  });

  it("stops at the first hook that fails", async () => {
    using ground = await lifecycleGround();
    const { ok, results } = await runHooks(
      configured("rebase_on_main", deny("not yet"), "create_pr"),
      ground.context,
      ground.ports,
    );
    expect(ok).toBe(false);
    expect(results.map(({ status }) => status)).toEqual(["SKIP", "FAILURE"]);
    expect(ground.ghCalls()).toEqual([]);
  });

  it("continues after a skipped hook, which is not a failure", async () => {
    using ground = await lifecycleGround();
    const { ok, results } = await runHooks(
      configured("run_tests", "create_pr"),
      ground.context,
      ground.ports,
    );
    expect({ ok, ran: results.map(({ hook, status }) => [hook, status]) }).toEqual({
      ok: true,
      ran: [
        ["run_tests", "SKIP"],
        ["create_pr", "SUCCESS"],
      ],
    });
  });

  it("treats a hook that throws as failed, with a message of one line", async () => {
    using ground = await lifecycleGround();
    const rebase = () => Promise.reject(new Error("no\n\u001b[31mgit"));
    const { ok, results } = await runHooks(configured("rebase_on_main", "create_pr"), ground.context, {
      ...ground.ports,
      rebase,
    });
    expect(ok).toBe(false);
    expect(results).toEqual([
      { hook: "rebase_on_main", status: "FAILURE", message: "the hook crashed: no [31mgit", context: {} },
    ]);
  });

  it.each([
    ["run_test", "unknown hook `run_test`: did you mean `run_tests`?"],
    [
      "celebrate",
      "unknown hook `celebrate`: one of rebase_on_main, create_pr, run_tests, gatekeeper, rebase_on_base, merge_pr",
    ],
    [
      "constructor",
      "unknown hook `constructor`: one of rebase_on_main, create_pr, run_tests, gatekeeper, rebase_on_base, merge_pr",
    ],
  ])("fails at `%s`, which the configuration allows but which is not a hook", async (name, message) => {
    using ground = await lifecycleGround();
    const { ok, results } = await runHooks(configured(name, "create_pr"), ground.context, ground.ports);
    expect({ ok, messages: results.map((one) => one.message) }).toEqual({ ok: false, messages: [message] });
  });

  it.each(["after_submit", "after_merge"] as const)(
    "at %s warns of failures, and undoes nothing",
    async (hook_point) => {
      using ground = await lifecycleGround();
      const hooks = configured("unheard_of");
      const { ok, results, warnings } = await runHooks(
        hooks,
        { ...ground.context, hook_point },
        ground.ports,
      );
      expect({ ok, status: results[0]?.status }).toEqual({ ok: true, status: "FAILURE" });
      expect(warnings).toEqual([expect.stringMatching(/^unheard_of: unknown hook/)]);
    },
  );

  it("ignores a key with the name of a prototype's property", async () => {
    using ground = await lifecycleGround();
    const details = '{"allow":true,"code":"OK","reason":"x","details":{"__proto__":{"skip_pr":true}}}';
    const { results } = await runHooks(
      configured(command(`echo '${details}'`), "create_pr"),
      ground.context,
      ground.ports,
    );
    expect(results.map(({ status }) => status)).toEqual(["SUCCESS", "SUCCESS"]);
    expect("skip_pr" in contextOf(results)).toBe(false);
  });
});

/** Submits with a list of hooks; the agent reacts to the prompt with `fix`. */
async function submit(
  ground: LifecycleGround,
  hooks: ReturnType<typeof configured>,
  fix: (prompt: string) => void = () => {},
  ports: Partial<HookPorts> = {},
): Promise<Submission & { asked: { prompt: string; maxTurns: number }[] }> {
  const asked: { prompt: string; maxTurns: number }[] = [];
  const submission = await submitWithRemediation(
    (extra) =>
      runHooks(
        hooks,
        { ...ground.context, extra: { ...ground.context.extra, ...extra } },
        { ...ground.ports, ...ports },
      ),
    async (prompt, limits) => {
      asked.push({ prompt, ...limits });
      fix(prompt);
      await ground.collect();
    },
  );
  return { ...submission, asked };
}

const statuses = ({ results }: Submission) => results.map(({ hook, status }) => `${hook} ${status}`);

describe("a submission", () => {
  it("with the default hooks opens a pull request without asking the agent", async () => {
    using ground = await lifecycleGround();
    const hooks = resolveHooks(
      await configOf({ [ownConfig]: "integrate: pr\n" }),
      "before_submit",
      null,
      null,
    );
    const submitted = await submit(ground, hooks);
    expect(submitted).toMatchObject({ ok: true, context: { pr_url: "https://127.0.0.1/pull/1" } });
    expect(statuses(submitted)).toEqual(["create_pr SUCCESS"]);
    expect(submitted.asked).toEqual([]);
  });

  it("rebases, then opens the pull request with the rebased work", async () => {
    using ground = await lifecycleGround();
    ground.commitOnBase("b.txt", "b\n");
    const submitted = await submit(ground, configured("rebase_on_main", "create_pr"));
    expect(statuses(submitted)).toEqual(["rebase_on_main SUCCESS", "create_pr SUCCESS"]);
    expect(ground.remote("rev-parse", "lockstep/T-1~1")).toBe(ground.git("rev-parse", "main"));
  });

  it("with a conflict is fixed by the agent as in the prompt, rebased again, and then proposed", async () => {
    using ground = await lifecycleGround();
    ground.commitOnBase("a.txt", "person\n");
    const submitted = await submit(ground, configured("rebase_on_main", "create_pr"), (prompt) => {
      expect(prompt).toContain('- "a.txt"');
      ground.agent.write("a.txt", "agent and person\n");
    });
    expect(submitted.asked).toEqual([{ prompt: expect.any(String), maxTurns: 20 }]);
    expect(submitted.ok).toBe(true);
    expect(statuses(submitted)).toEqual(["rebase_on_main SKIP", "create_pr SUCCESS"]);
    expect(ground.remote("show", "lockstep/T-1:a.txt")).toBe("agent and person");
    expect(
      ground.remote("merge-base", "--is-ancestor", ground.git("rev-parse", "main"), "lockstep/T-1"),
    ).toBe("");
  });

  it("with a conflict is also fixed if the agent repeats its own change", async () => {
    using ground = await lifecycleGround();
    ground.commitOnBase("a.txt", "person\n");
    const submitted = await submit(ground, configured("rebase_on_main", "create_pr"), () => {
      ground.agent.write("a.txt", "person\n");
      ground.agent.write("c.txt", "agent\n");
    });
    expect(statuses(submitted)).toEqual(["rebase_on_main SKIP", "create_pr SUCCESS"]);
    expect(ground.remote("diff", "--name-only", "lockstep/T-1~1", "lockstep/T-1")).toBe("c.txt");
  });

  it("that still fails must be continued, and the agent is asked only once", async () => {
    using ground = await lifecycleGround();
    ground.commitOnBase("a.txt", "person\n");
    const submitted = await submit(ground, configured("rebase_on_main", "create_pr"));
    expect(submitted.asked).toHaveLength(1);
    expect(submitted).toMatchObject({
      ok: false,
      needsContinuation: "hook_failure",
      refused: {
        allow: false,
        code: "R-HK-001",
        reason: '`rebase_on_main` failed: the rebase on `main` conflicts in "a.txt"',
        details: { hook: "rebase_on_main", conflicts: ["a.txt"] },
      },
    });
    expect(ground.ghCalls()).toEqual([]);
  });

  it("that fails without a prompt must be continued at once", async () => {
    using ground = await lifecycleGround();
    const submitted = await submit(ground, configured(deny("not yet")));
    expect(submitted.asked).toEqual([]);
    expect(submitted).toMatchObject({ ok: false, needsContinuation: "hook_failure" });
  });

  it("runs the whole list again after asking the agent", async () => {
    using ground = await lifecycleGround(testedBy("test -e fixed"));
    const count = `echo run >> ${ground.checkout.temporary}/runs; ${allow({})}`;
    const hooks = configured(command(count), "run_tests", "create_pr");
    const submitted = await submit(ground, hooks, () => ground.agent.write("fixed", ""));
    expect(submitted.ok).toBe(true);
    expect(ground.agent.run("cat", `${ground.checkout.temporary}/runs`)).toBe("run\nrun");
    expect(submitted.asked[0]?.prompt).toContain("`npm test` failed with exit code 1");
  });

  it("uses in its second round what it pushed in the first", async () => {
    using ground = await lifecycleGround(testedBy("test -e fixed"));
    const submitted = await submit(ground, configured("create_pr", "run_tests"), () => {
      ground.agent.write("fixed", "");
    });
    expect(statuses(submitted)).toEqual(["create_pr SUCCESS", "run_tests SUCCESS"]);
    expect(submitted.context).toEqual({
      pushed: ground.work(),
      pr_url: "https://127.0.0.1/pull/1",
      tests: "npm test",
    });
  });

  it("must be continued if the agent cannot be asked", async () => {
    using ground = await lifecycleGround(testedBy("false"));
    const submitted = await submit(ground, configured("run_tests"), () => {
      throw new Error("there is no agent");
    });
    expect(submitted).toMatchObject({
      ok: false,
      refused: {
        reason: expect.stringMatching(
          /^`run_tests` failed: .*could not be asked to fix it: there is no agent$/,
        ),
      },
    });
  });

  it("of a task with `skip_pr` runs all other hooks", async () => {
    using ground = await lifecycleGround(testedBy("true"));
    const context = { ...ground.context, extra: { skip_pr: true } };
    const submitted = await submit({ ...ground, context }, configured("run_tests", "create_pr"));
    expect(statuses(submitted)).toEqual(["run_tests SUCCESS", "create_pr SKIP"]);
  });
});

describe("a task of a type", () => {
  const config = `
integrate: pr
hooks: { before_submit: [create_pr] }
task_types:
  product:
    hooks: { before_submit: [rebase_on_main, run_tests, create_pr], before_merge: [{ gatekeeper: [qa, architecture] }] }
  hotfix: { hooks: { before_submit: [run_tests, create_pr] } }
`;

  it.each<[string | null, readonly string[], readonly string[]]>([
    ["product", ["rebase_on_main", "run_tests", "create_pr"], ["qa", "architecture"]],
    ["hotfix", ["run_tests", "create_pr"], []],
    [null, ["create_pr"], []],
  ])("runs the hooks of %s before it is submitted and before it is merged", async (type, before, looked) => {
    using ground = await lifecycleGround(testedBy("true"));
    const loaded = await configOf({ [ownConfig]: config });
    const asked: string[] = [];
    const review = async (name: string) => {
      asked.push(name);
      return { approved: true, reason: "" };
    };
    const submitted = await submit(ground, resolveHooks(loaded, "before_submit", type, "coder"));
    expect(submitted.results.map(({ hook }) => hook)).toEqual(before);
    const merging = { ...ground.context, hook_point: "before_merge" } as const;
    const hooks = resolveHooks(loaded, "before_merge", type, "coder");
    expect(await runHooks(hooks, merging, { ...ground.ports, review })).toMatchObject({ ok: true });
    expect(asked).toEqual(looked);
  });
});
