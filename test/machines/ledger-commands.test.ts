import { createHash, createHmac } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { closeDatabases, takeDatabase } from "../support/ledger-databases.ts";
import { packet } from "../support/memory-engine.ts";
import { answer, planned, task, writes } from "../support/planned-repository.ts";
import { sharedServer } from "../support/postgres-server.ts";
import { machineOf } from "../support/shared-machines.ts";

afterAll(closeDatabases);

const options = { agents: { a: [[writes("A"), answer("OK")]] }, tasks: [task("A", "a")] };

describe("lockstep ledger", () => {
  it("migrate creates the ledger in a new database, status shows it, and doctor examines it", async () => {
    const server = await sharedServer();
    await server.query("postgres", "CREATE DATABASE made_by_command");
    using repository = planned(options);
    const owner = machineOf(repository, server.url("made_by_command"));
    const machine = machineOf(repository, server.url("made_by_command", "machine"));
    try {
      const before = await machine.run(["ledger", "status"]);
      expect(before.status).toBe(1);
      expect(before.stderr).toMatch(/E-STORE: there is no ledger in .*`lockstep ledger migrate`/);
      const migrated = await owner.run(["ledger", "migrate", "--machine", "machine"]);
      expect(migrated, migrated.stderr).toMatchObject({
        status: 0,
        stdout: "the ledger now has format 2; before, it had none\n",
      });
      expect((await owner.run(["ledger", "migrate", "--machine", "machine"])).stdout).toContain("already");
      const status = await machine.json<Record<string, unknown>>("ledger", "status");
      expect(status).toMatchObject({
        engine: "postgres",
        version: 2,
        events: 0,
        machines: [{ is_this: true }],
      });
      expect(String(status.place)).toContain("made_by_command");
      const { findings } = await machine.json<{
        findings: { what: string; state: string; detail: string }[];
      }>("doctor");
      const about = findings.filter(({ what }) => what.startsWith("shared ledger"));
      expect(about.map(({ what, state }) => [what, state])).toEqual([
        ["shared ledger", "ok"],
        ["shared ledger rights", "ok"],
        ["shared ledger TLS", "off"],
        ["shared ledger clock", "ok"],
      ]);
      const asOwner = await owner.json<{ findings: { what: string; state: string }[] }>("doctor");
      expect(asOwner.findings).toContainEqual(
        expect.objectContaining({ what: "shared ledger rights", state: "missing" }),
      );
    } finally {
      await server.query("postgres", "DROP DATABASE made_by_command WITH (FORCE)");
    }
  });

  it("move copies a ledger into a database and back, and both are the same event by event", async () => {
    const database = await takeDatabase();
    using repository = planned(options);
    try {
      expect((await repository.run(["run", "--json"])).status).toBe(0);
      const before = (await repository.run(["audit", "export"])).stdout;
      const owner = database.server.url(database.name);
      const moved = await repository.run(["ledger", "move", "--to", owner]);
      expect(moved.status, moved.stderr).toBe(0);
      expect(moved.stdout).toContain("compared them one by one");
      const machine = machineOf(repository, database.url);
      expect((await machine.run(["audit", "export"])).stdout).toBe(before);
      expect((await machine.run(["audit", "verify"])).status).toBe(0);
      expect((await machine.run(["reconcile"])).status).toBe(0);
      const again = await repository.run(["ledger", "move", "--to", owner]);
      expect(again.status, "an interrupted move is done again").toBe(0);
      const dispatched = await machine.run(["dispatch"], { input: JSON.stringify(packet("T-1", ["src"])) });
      expect(dispatched.status).toBe(0);
      expect((await repository.run(["ledger", "move", "--to", owner])).stderr).toContain("it is not empty");
      expect((await machine.run(["ledger", "move", "--to", "sqlite"])).stderr).toContain(
        "task `T-1` is at work",
      );
      expect((await machine.run(["release", "T-1"])).status).toBe(0);
      const shared = (await machine.run(["audit", "export"])).stdout;
      const back = await machine.run(["ledger", "move", "--to", "sqlite"]);
      expect(back.status, back.stderr).toBe(0);
      expect(back.stdout).toMatch(/the old files are kept: .*state\.db\.moved-/);
      expect((await repository.run(["audit", "export"])).stdout).toBe(shared);
      expect((await repository.run(["audit", "verify"])).status).toBe(0);
      expect((await repository.run(["reconcile"])).status).toBe(0);
    } finally {
      await database.free();
    }
  });

  it("archive moves finished sessions to a signed file, and the chain stays whole", async () => {
    const database = await takeDatabase();
    using repository = planned(options);
    const owner = machineOf(repository, database.server.url(database.name));
    try {
      expect((await owner.run(["run", "--json"])).status).toBe(0);
      const file = join(repository.path, ".git", "old.jsonl");
      const early = await owner.run(["ledger", "archive", "--before", "2001-01-01", "--to", file]);
      expect(early.stdout).toContain("no session ended before");
      const done = await owner.run(["ledger", "archive", "--before", "2999-01-01", "--to", file]);
      expect(done.status, done.stderr).toBe(0);
      const lines = readFileSync(file, "utf8").trimEnd().split("\n");
      const signed = JSON.parse(lines.pop() ?? "");
      const sha256 = createHash("sha256")
        .update(`${lines.join("\n")}\n`)
        .digest("hex");
      const [meta] = await database.raw("SELECT secret FROM lockstep.meta");
      const signature = createHmac("sha256", String(meta?.secret)).update(sha256).digest("hex");
      expect(signed).toEqual({ sha256, signature });
      expect(lines.map((line) => JSON.parse(line).table)).toContain("tasks");
      expect(lines.map((line) => JSON.parse(line).table)).toContain("evidence");
      expect(
        await database.raw("SELECT key FROM lockstep.tasks UNION SELECT key FROM lockstep.evidence"),
      ).toEqual([]);
      const again = await owner.run(["run", "--json"]);
      expect(again.status).not.toBe(0);
      expect(again.stderr + again.stdout).toContain(
        `was archived to ${file}: give the new task or its session another name`,
      );
      expect((await owner.run(["ledger", "move", "--to", "sqlite"])).stderr).toContain(
        `was archived to ${file}`,
      );
      expect((await owner.run(["audit", "verify"])).status).toBe(0);
      expect((await owner.run(["audit", "list", "--type", "ledger.archived"])).stdout).toContain(
        "ledger.archived",
      );
      const asMachine = await machineOf(repository, database.url).run([
        "ledger",
        "archive",
        "--before",
        "2999-01-01",
        "--to",
        `${file}.2`,
      ]);
      expect(asMachine.stderr).toContain("permission denied");
    } finally {
      await database.free();
    }
  });

  it("explains how to configure a shared ledger if there is none", async () => {
    using repository = planned(options);
    const nothing = await repository.run(["ledger", "move", "--to", "postgres://me:hunter2@127.0.0.1:1/x"]);
    expect(nothing.stderr).toContain("this machine has no ledger to move");
    expect(existsSync(join(repository.path, ".git/lockstep/state.db"))).toBe(false);
    for (const url of ["postgres://me:12#hunter2@db/x", "postgres://me:12/hunter2@db/x"]) {
      const refused = await repository.run(["ledger", "move", "--to", url]);
      expect(refused.stderr).toContain("percent-encoded");
      expect(refused.stderr).not.toContain("hunter2");
      expect((await repository.run(["status"], { env: { LOCKSTEP_LEDGER_URL: url } })).stderr).not.toContain(
        "hunter2",
      );
    }
    const { status, stderr } = await repository.run(["ledger", "migrate"]);
    expect(status).toBe(2);
    expect(stderr).toContain("no shared ledger is configured: set `ledger: { url:");
    const odd = await repository.run(["status"], { env: { LOCKSTEP_LEDGER_URL: "mysql://me:hunter2@db/x" } });
    expect(odd.status).toBe(2);
    expect(odd.stderr).toContain("E-CONFIG: LOCKSTEP_LEDGER_URL is not the URL of a database");
    expect(odd.stderr).not.toContain("hunter2");
    const own = JSON.parse((await repository.run(["ledger", "status", "--json"])).stdout);
    expect(own).toMatchObject({ engine: "sqlite", machines: [] });
  });
});

describe("one machine with SQLite", () => {
  it("never loads the database client, and one with a URL does", async () => {
    using repository = planned(options);
    const hook = repository.write(
      ".git/tell-loaded.cjs",
      'process.on("exit", () => { if (Object.keys(require.cache).some((file) => file.endsWith("pg.cjs"))) process.stderr.write("CLIENT LOADED\\n"); });',
    );
    const env = { NODE_OPTIONS: `--require ${hook}` };
    for (const words of [["status"], ["run", "--json"], ["ledger", "status"]])
      expect((await repository.run(words, { env })).stderr).not.toContain("CLIENT LOADED");
    const database = await takeDatabase();
    const shared = await machineOf(repository, database.url).run(["status"], { env });
    expect(shared.stderr).toContain("CLIENT LOADED");
    await database.free();
  });
});
