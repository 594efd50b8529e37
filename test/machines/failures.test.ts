import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import type { Status } from "../../src/engine/views/read-status.ts";
import { closeDatabases } from "../support/ledger-databases.ts";
import { packet } from "../support/memory-engine.ts";
import { answer, awaits, task, writes } from "../support/planned-repository.ts";
import type { CommandOptions } from "../support/run-command.ts";
import { missing } from "../support/sandboxed.ts";
import { type SharedMachine, sharedMachines } from "../support/shared-machines.ts";
import { skipLoudly } from "../support/skip-loudly.ts";

afterAll(closeDatabases);

const none = { agents: { a: [[answer("OK")]] }, tasks: [] };
const waiting = { agents: { a: [[awaits, writes("A"), answer("OK")]] }, tasks: [task("A", "a")] };
const dispatch = (
  machine: SharedMachine,
  id: string,
  scope: readonly string[],
  options: CommandOptions = {},
) => machine.run(["dispatch"], { ...options, input: JSON.stringify(packet(id, scope)) });
const letGo = ({ repository }: SharedMachine) => repository.write("state/go", "");

/** The ledger's time never goes back, so this is how a test lets it pass. */
const passing = (seconds: number) =>
  `UPDATE lockstep.clock SET ms = greatest(ms, extract(epoch FROM now()) * 1000) + ${seconds * 1000}`;

async function isAtWork(machine: SharedMachine): Promise<boolean> {
  const { tasks } = await machine.json<Status>("status");
  return tasks.some(({ id, state }) => id === "A" && state === "IN_PROGRESS");
}

describe("clocks that are hours apart and jump (M-5)", () => {
  it("end no lease and start none early: only the ledger's clock counts", async () => {
    await using shared = await sharedMachines(none, none);
    const [one, other] = shared.machines as [SharedMachine, SharedMachine];
    const skewed = (hours: number) => ({
      NODE_OPTIONS: `--require ${fileURLToPath(new URL("../support/skewed-clock.cjs", import.meta.url))}`,
      LOCKSTEP_TEST_SKEW: String(hours),
    });
    const started = await dispatch(one, "T-1", ["src"], { env: skewed(-1) });
    expect(started.status, started.stderr).toBe(0);
    const { epoch, token } = JSON.parse(started.stdout).details;
    expect((await other.run(["watchdog"], { env: skewed(2) })).status).toBe(0);
    expect((await dispatch(other, "T-2", ["src"], { env: skewed(2) })).status).toBe(2);
    const asAgent = { LOCKSTEP_TASK: "T-1", LOCKSTEP_EPOCH: String(epoch), LOCKSTEP_TOKEN: String(token) };
    const beat = await one.run(["heartbeat", "T-1", "--epoch", String(epoch)], {
      env: { ...skewed(3), ...asAgent },
    });
    expect(beat.status, beat.stderr).toBe(0);
    await shared.database.raw(passing(700));
    expect((await other.run(["watchdog"], { env: skewed(-2) })).status).toBe(2);
    const events = await shared.database.raw("SELECT body FROM lockstep.events ORDER BY seq");
    const times = events.map(({ body }) => Date.parse(JSON.parse(String(body)).at));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(Math.abs((times[0] ?? 0) - Date.now())).toBeLessThan(600_000);
  });
});

describe("a cloned disk image (M-10)", () => {
  const whyNot = process.getuid?.() === 0 ? undefined : "it takes root to give a process another boot id";
  it.skipIf(skipLoudly("THE TESTS OF A CLONED MACHINE", whyNot, { isWanted: false }))(
    "is not mistaken for the original machine: no attempt of that one is ended",
    async () => {
      await using shared = await sharedMachines(waiting, none);
      const [original, clone] = shared.machines as [SharedMachine, SharedMachine];
      using running = original.start(["run", "--json"]);
      await expect.poll(() => isAtWork(original), { timeout: 30_000 }).toBe(true);
      const idOf = ({ repository }: SharedMachine) => join(repository.path, ".git/state/lockstep/machine");
      mkdirSync(dirname(idOf(clone)), { recursive: true });
      copyFileSync(idOf(original), idOf(clone));
      const boot = clone.repository.write(".git/boot", "00000000-0000-4000-8000-000000000000\n");
      const script = 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"';
      const through = ["unshare", "-m", "sh", "-c", script, boot];
      expect((await clone.run(["watchdog"], { through })).status).toBe(0);
      const refused = await dispatch(clone, "T-9", ["A.txt"], { through });
      expect(JSON.parse(refused.stdout)).toMatchObject({ allow: false, code: "R-PD-003" });
      letGo(original);
      const { status, stderr } = await running.ended;
      expect(status, stderr).toBe(0);
      expect(existsSync(join(original.repository.path, "A.txt"))).toBe(true);
    },
  );
});

describe("a machine that was frozen for longer than its lease (M-11)", () => {
  it("stops its agent when it wakes up, and merges nothing under the old attempt", async () => {
    await using shared = await sharedMachines(waiting, none);
    const [frozen, other] = shared.machines as [SharedMachine, SharedMachine];
    using running = frozen.start(["run", "--json"]);
    await expect.poll(() => isAtWork(other), { timeout: 30_000 }).toBe(true);
    running.process.kill("SIGSTOP");
    await shared.database.raw(passing(3600));
    const taken = await dispatch(other, "T-9", ["A.txt"]);
    expect(taken.status, taken.stdout).toBe(0);
    letGo(frozen);
    running.process.kill("SIGCONT");
    const { status, stdout } = await running.ended;
    expect(status).not.toBe(0);
    expect(JSON.parse(stdout).tasks).toMatchObject([
      { id: "A", state: expect.stringMatching(/PENDING|BLOCKED/) },
    ]);
    expect(existsSync(join(frozen.repository.path, "A.txt"))).toBe(false);
    expect(await shared.database.raw("SELECT 1 FROM lockstep.events WHERE type = 'task.merged'")).toEqual([]);
    const { tasks } = await other.json<Status>("status");
    expect(tasks.find(({ key }) => key === "T-9")).toMatchObject({ state: "IN_PROGRESS" });
    expect((await other.run(["audit", "verify"])).status).toBe(0);
  });
});

describe("from inside an attempt and from inside a check (M-16)", () => {
  it.skipIf(skipLoudly("THE TESTS OF WHAT AN AGENT CAN REACH", missing))(
    "neither the ledger's URL nor its credentials can be read",
    async () => {
      // Counts the files that must not be readable, then prints a mark which shows that the command has run.
      const look = [
        'seen=$( (env; cat "$HOME/.pgpass" "$PGPASSFILE" "$LOCKSTEP_ROOT"/.git/lockstep/*) 2>&1 )',
        'printf "%s\\n" "$seen" | grep -cE "hunter2|postgres:|LEDGER_URL|^PG" > A.txt',
        'printf "%s\\n" "$seen" | grep -cE "^(PATH|LOCKSTEP_TASK)=" >> A.txt',
      ].join("; ");
      const plan = {
        agents: { a: [["run: { command: sh look-inside.sh }", answer("OK")]] },
        tasks: [
          `{ id: A, goal: look around, agent: a, lock_scope: [A.txt], acceptance_checks: ["cmd: sh look.sh"] }`,
        ],
        files: {
          "look-inside.sh": `${look}\n`,
          "look.sh": `(env; cat "$HOME/.pgpass") > "$TMPDIR/seen" 2>&1; ! grep -qE "hunter2|LEDGER_URL" "$TMPDIR/seen"\n`,
        },
        config:
          "workspace: { env_pass: [PATH, HOME, LANG, PGPASSWORD, LOCKSTEP_LEDGER_URL], home: [.pgpass] }\n",
      };
      await using shared = await sharedMachines(plan);
      const [machine] = shared.machines as [SharedMachine];
      const home = join(machine.repository.path, ".git", "home");
      mkdirSync(home);
      writeFileSync(join(home, ".pgpass"), "*:*:*:*:hunter2\n", { mode: 0o600 });
      const { status, stderr, stdout } = await machine.run(["run", "--json"], {
        env: { HOME: home, PGPASSWORD: "hunter2", PGPASSFILE: join(home, ".pgpass") },
      });
      expect(status, `${stderr}${stdout}`).toBe(0);
      const seen = machine.repository.git("show", "main:A.txt");
      expect(seen.split("\n")).toEqual(["0", "2"]);
    },
  );
});
