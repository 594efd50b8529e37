import { describe, expect, it } from "vitest";
import { bareRemote } from "../support/bare-remote.ts";
import { answer, planned, runPlan, task, writes } from "../support/planned-repository.ts";

const options = (more = "") => ({
  agents: { a: [[writes("A"), answer("OK")]] },
  tasks: [task("A", "a")],
  config: `remote: origin\n${more}`,
});
const soon = { LOCKSTEP_REMOTE_SECONDS: "2" };

describe("an agent's work", () => {
  it.each([
    ["refs", "refs/lockstep"],
    ["heads", "refs/heads/lockstep"],
  ])("is at the remote before it is submitted, with transport %s", async (transport, prefix) => {
    using repository = planned(options(`transport: ${transport}\n`));
    using remote = bareRemote(repository);
    // The host asks the ledger: at that moment the task must not have been submitted.
    remote.hook("pre-receive", `cd ${repository.path} && env -u GIT_DIR -u GIT_QUARANTINE_PATH ${askState}`);
    const { status, done, stderr } = await runPlan(repository);
    expect(status, stderr).toBe(0);
    const ref = `${prefix}/${done.session}/A/1`;
    expect(remote.ref(ref)).toBe(repository.git("rev-parse", `refs/lockstep/${done.session}/A/1`));
    expect(remote.git("show", `${ref}:A.txt`)).toBe("made");
    expect(repository.git("for-each-ref", "refs/lockstep/unpushed")).toBe("");
    expect(remote.ref("refs/heads/main")).not.toBe(repository.git("rev-parse", "main"));
  });

  it("that cannot be pushed is not submitted, and is pushed when the remote accepts it again", async () => {
    using repository = planned(options());
    using remote = bareRemote(repository);
    remote.hook("pre-receive", "echo 'no space for you' >&2; exit 1");
    const first = await repository.run(["run", "--json"], { env: soon });
    expect(first.status, first.stderr).toBe(3);
    const { session, tasks } = JSON.parse(first.stdout);
    expect(tasks[0]).toMatchObject({ state: "PENDING", attempts: 1 });
    expect(first.stderr).toContain("no space for you");
    const work = `refs/lockstep/${session}/A/1`;
    expect(repository.git("for-each-ref", "--format=%(refname)", "refs/lockstep/unpushed")).toContain(
      session,
    );
    remote.unhook("pre-receive");
    const { status, stderr, states } = await runPlan(repository);
    expect(status, stderr).toBe(0);
    expect(states).toEqual({ A: "MERGED" });
    expect(remote.ref(work)).toBeDefined();
    expect(stderr).toContain(`pushed ${work}`);
    expect(repository.git("for-each-ref", "refs/lockstep/unpushed")).toBe("");
  });

  it("with a secret in it is never pushed", async () => {
    const secret = `AKIA${"ABCDEFGHIJKLMNOP"}`;
    using repository = planned({
      ...options(),
      agents: { a: [[`write: { path: A.txt, text: "key = '${secret}'\\n" }`, answer("OK")]] },
      config: "remote: origin\nlimits: { review_retries: 0 }\n",
    });
    using remote = bareRemote(repository);
    const { done } = await runPlan(repository);
    expect(done.tasks[0]?.code).toBe("R-PO-004");
    expect(remote.git("for-each-ref", "refs/lockstep")).toBe("");
    expect(repository.git("for-each-ref", "refs/lockstep/unpushed")).toBe("");
  });
});

/** Fails unless the only task is in progress. */
const askState = `sh -c 'XDG_STATE_HOME=$PWD/.git/state ${process.execPath} ${process.cwd()}/bin/lockstep.cjs task list --json | grep -q IN_PROGRESS'`;
