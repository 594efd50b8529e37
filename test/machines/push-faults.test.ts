import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { gitDaemon } from "../support/git-daemon.ts";
import { frozen, type LandingMachines, landingMachines } from "../support/landing-machines.ts";
import { closeDatabases } from "../support/ledger-databases.ts";
import { eventually } from "../support/run-command.ts";

afterAll(closeDatabases);

const once = { commits: 1, events: 1 };
const never = { commits: 0, events: 0 };

/** No move has left anything, and the history is complete. */
async function expectSettled({ database, machines: [first] }: LandingMachines) {
  expect(await database.raw("SELECT body FROM lockstep.intents WHERE NOT done")).toEqual([]);
  expect((await first.run(["audit", "verify"])).status).toBe(0);
}

describe("an integrator that is killed around its push (M-2)", { timeout: 120_000 }, () => {
  it.each([
    ["prepared", never],
    ["moved", { commits: 1, events: 0 }],
    ["noted", { commits: 1, events: 0 }],
    ["settled", once],
  ])("at %s: the next one, on another machine, finishes or drops the move", async (point, left) => {
    await using all = await landingMachines();
    const [first, second] = all.machines;
    using killed = first.landUntil(point, "one");
    expect(await killed.ended).toMatchObject({ signal: "SIGKILL" });
    expect(await all.merged("one")).toEqual(left);
    await all.endLeases();
    const other = await second.land("two");
    expect(other.status, other.stderr).toBe(0);
    expect(await all.merged("two")).toEqual(once);
    expect(await all.merged("one")).toEqual(left.commits === 0 ? never : once);
    expect((await first.land("one")).status).toBe(0);
    expect(await all.merged("one")).toEqual(once);
    await expectSettled(all);
  });

  it("and its successor too, after it has taken over at the remote: the next one lands both", async () => {
    await using all = await landingMachines();
    const [first, second] = all.machines;
    using killed = first.landUntil("prepared", "one");
    await killed.ended;
    await all.endLeases();
    using next = second.landUntil("claimed", "two");
    expect(await next.ended).toMatchObject({ signal: "SIGKILL" });
    await all.endLeases();
    for (const branch of ["one", "two"]) {
      const landed = await first.land(branch);
      expect(landed.status, landed.stderr).toBe(0);
      expect(await all.merged(branch)).toEqual(once);
    }
    await expectSettled(all);
  });
});

describe("two machines that both believe they are the integrator (M-6)", { timeout: 120_000 }, () => {
  it("one was frozen before its push: its push after it wakes up is refused, and it proves again", async () => {
    await using all = await landingMachines();
    const [first, second] = all.machines;
    using sleeping = first.landUntil("prepared:SIGSTOP", "one");
    await frozen(sleeping);
    await all.endLeases();
    const other = await second.land("two");
    expect(other.status, other.stderr).toBe(0);
    const after = all.remote.ref("refs/heads/main");
    sleeping.process.kill("SIGCONT");
    const { status, stderr } = await sleeping.ended;
    expect(status, stderr).toBe(0);
    expect(await all.merged("two")).toEqual(once);
    expect(all.remote.git("rev-parse", "main^1")).toBe(after);
    expect(await all.merged("one")).toEqual(once);
    await expectSettled(all);
  });

  it("its push hung at the host: if the host continues after a successor has taken over, nothing moves", async () => {
    await using all = await landingMachines();
    const [first, second] = all.machines;
    const before = all.remote.ref("refs/heads/main");
    const mark = (name: string) => join(all.remote.path, name);
    // The first push of the base waits in the host; its client gives up.
    all.remote.hook(
      "pre-receive",
      `grep -q refs/heads/main || exit 0
mkdir "$GIT_DIR/first" 2>/dev/null || exit 0
trap '' HUP PIPE TERM
while [ ! -e "$GIT_DIR/go" ]; do sleep 0.05; done
touch "$GIT_DIR/gone"`,
    );
    // A host that ends with its client could not continue.
    await using daemon = await gitDaemon(dirname(all.remote.path));
    const url = `git://127.0.0.1:${daemon.port}/remote.git`;
    execFileSync("git", ["remote", "set-url", "origin", url], { cwd: first.clone });
    const soon = { LOCKSTEP_REMOTE_SECONDS: "3" };
    expect((await first.land("one", soon)).status).not.toBe(0);
    expect(existsSync(mark("first"))).toBe(true);
    expect(all.remote.ref("refs/heads/main")).toBe(before);
    const other = await second.land("two");
    expect(other.status, other.stderr).toBe(0);
    execFileSync("touch", [mark("go")]);
    await eventually("the host has continued", () => existsSync(mark("gone")) || undefined);
    expect((await first.land("one")).status).toBe(0);
    expect(await all.merged("one")).toEqual(once);
    expect(await all.merged("two")).toEqual(once);
    await expectSettled(all);
  });
});

describe("a person who pushes to the base meanwhile (M-7)", { timeout: 120_000 }, () => {
  it("loses nothing: the work is proven again on top of the person's commit", async () => {
    await using all = await landingMachines();
    const { remote } = all;
    const [first] = all.machines;
    using landing = first.landUntil("prepared:SIGSTOP", "one");
    await frozen(landing);
    const commit = remote.git("commit-tree", "-p", "main", "-m", "by a person", "main^{tree}");
    remote.git("update-ref", "refs/heads/main", commit);
    landing.process.kill("SIGCONT");
    const { status, stderr } = await landing.ended;
    expect(status, stderr).toBe(0);
    expect(remote.git("rev-parse", "main^1")).toBe(commit);
    expect(await all.merged("one")).toEqual(once);
    await expectSettled(all);
  });
});

describe("a remote that does not accept the push (M-8, M-17)", { timeout: 120_000 }, () => {
  it("refuses, stalls or is full: nothing moves, the reason is reported, and the next landing succeeds", async () => {
    await using all = await landingMachines();
    const { remote } = all;
    const [first] = all.machines;
    const before = remote.ref("refs/heads/main");
    const refused = async (says: string, env = {}) => {
      const { status, stdout } = await first.land("one", env);
      expect(status).not.toBe(0);
      const [branch] = JSON.parse(stdout).branches;
      expect(branch).toMatchObject({ outcome: "waiting", refused: { code: "R-GT-001" } });
      expect(branch.refused.reason).toContain(says);
      expect(remote.ref("refs/heads/main")).toBe(before);
    };
    remote.hook("update", 'case $1 in refs/heads/main) echo "main is protected" >&2; exit 1;; esac');
    await refused("`integrate: pr` opens pull requests instead");
    remote.hook("update", "case $1 in refs/heads/main) sleep 30;; esac");
    await refused("it did not answer within 2 seconds", { LOCKSTEP_REMOTE_SECONDS: "2" });
    remote.unhook("update");
    // No file of the host can grow any more.
    const full = "sh -c 'ulimit -f 0; exec git-receive-pack \"$0\"'";
    execFileSync("git", ["config", "remote.origin.receivepack", full], { cwd: first.clone });
    await refused("`origin`");
    execFileSync("git", ["config", "--unset", "remote.origin.receivepack"], { cwd: first.clone });
    const landed = await first.land("one");
    expect(landed.status, landed.stderr).toBe(0);
    expect(await all.merged("one")).toEqual(once);
    await expectSettled(all);
  });

  it("accepts it and does not answer: the move of the base is detected", async () => {
    await using all = await landingMachines();
    const [first] = all.machines;
    all.remote.hook(
      "post-receive",
      'grep -q refs/heads/main && [ ! -e "$GIT_DIR/told" ] && touch "$GIT_DIR/told" && sleep 30',
    );
    const { status, stderr } = await first.land("one", { LOCKSTEP_REMOTE_SECONDS: "2" });
    expect(status, stderr).toBe(0);
    expect(await all.merged("one")).toEqual(once);
    await expectSettled(all);
  });
});
