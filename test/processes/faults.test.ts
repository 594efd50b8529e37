import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSqlite } from "../../src/ledger/sqlite/load-sqlite.ts";
import { packet } from "../support/memory-engine.ts";
import { eventually, type Repository, temporaryRepository, verdictIn } from "../support/run-command.ts";

/** A repository with two dispatched tasks and four events, and the ledger after the first of them. */
let template: Repository;

beforeAll(async () => {
  template = temporaryRepository();
  await dispatch(template, "T-1");
  cpSync(stateIn(template), join(template.path, "older"), { recursive: true });
  await dispatch(template, "T-2");
});
afterAll(() => template[Symbol.dispose]());

type Harm = (folder: string, older: string) => void;
const database = (folder: string) => join(folder, "state.db");

const harms: [string, Harm, { kind: string; next: RegExp }][] = [
  ["deleted", (folder) => rmSync(database(folder)), { kind: "lost", next: /ledger accept-loss/ }],
  ["emptied", (folder) => truncateSync(database(folder)), { kind: "lost", next: /accept-loss/ }],
  ["cut in half", (folder) => truncateSync(database(folder), 61_440), { kind: "corrupt", next: /cp COPY/ }],
  [
    "overwritten with garbage",
    (folder) => writeFileSync(database(folder), Buffer.alloc(131_072, "garbage")),
    { kind: "corrupt", next: /cp COPY/ },
  ],
  [
    "of a newer version",
    (folder) => edit(folder, (open) => open.exec("PRAGMA user_version = 99")),
    { kind: "newer", next: /version 99.*update Lockstep/ },
  ],
  [
    "replaced by an older copy",
    (folder, older) => cpSync(database(older), database(folder)),
    { kind: "lost", next: /events 3 to 4 are missing.*accept-loss/ },
  ],
  [
    "cut at the end of its events",
    (folder) => edit(folder, (open) => open.exec("DELETE FROM events WHERE key = 4")),
    { kind: "lost", next: /event 4 is missing.*accept-loss/ },
  ],
  [
    "in a folder that became a link",
    (folder) => {
      renameSync(folder, `${folder}-elsewhere`);
      symlinkSync(`${folder}-elsewhere`, folder);
    },
    { kind: "folder", next: /move it away/ },
  ],
  [
    "in a folder that became a file",
    (folder) => {
      rmSync(folder, { recursive: true });
      writeFileSync(folder, "x");
    },
    { kind: "folder", next: /move it away/ },
  ],
];

describe.concurrent("a ledger that was", () => {
  it.each(harms)("%s is refused by every command, and is not changed", async (_, harm, { kind, next }) => {
    using repository = copyOfTemplate();
    const folder = stateIn(repository);
    harm(folder, join(repository.path, "older"));
    const before = bytesIn(folder);
    const deciding: [string[], unknown?][] = [
      [["dispatch"], packet("T-9", ["other"])],
      [["heartbeat", "T-1"]],
      [["hook", "PreDispatch"], packet("T-9", ["other"])],
    ];
    for (const [words, document] of deciding) {
      const run = await repository.run(
        words,
        document === undefined ? {} : { input: JSON.stringify(document) },
      );
      expect(run, words.join(" ")).toMatchObject({ status: 2, stderr: expect.stringMatching(next) });
      expect(verdictIn(run)).toMatchObject({
        allow: false,
        code: "E-STORE",
        reason: expect.stringMatching(next),
      });
      if (words[0] !== "hook") expect(verdictIn(run).details).toMatchObject({ kind, retryable: false });
    }
    expect(await repository.run(["audit", "verify"])).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/^lockstep: E-STORE: .*\n$/),
    });
    const json = await repository.run(["status", "--json"]);
    expect(json.status).toBe(1);
    expect(verdictIn(json).code).toBe("E-STORE");
    expect(bytesIn(folder)).toEqual(before);
    if (kind === "corrupt") expect(keptIn(folder)).toEqual([before]);
  });
});

describe.concurrent("the recovery command in the message", () => {
  it.each(["deleted", "replaced by an older copy"])("works for a ledger that was %s", async (name) => {
    using repository = copyOfTemplate();
    const [, harm] = harms.find(([title]) => title === name) ?? [];
    harm?.(stateIn(repository), join(repository.path, "older"));
    const accepted = await repository.run(["reconcile", "--accept-loss"]);
    expect(accepted).toMatchObject({ status: 0, stderr: expect.stringContaining("the old files are kept") });
    await dispatch(repository, "T-2");
    expect(await repository.run(["audit", "verify"])).toMatchObject({ status: 0 });
    expect(readdirSync(stateIn(repository)).some((file) => file.startsWith("audit.head.lost-"))).toBe(true);
  });

  it("works for a damaged ledger", async () => {
    using repository = copyOfTemplate();
    const copy = join(repository.path, "copy.db");
    cpSync(database(stateIn(repository)), copy);
    truncateSync(database(stateIn(repository)), 61_440);
    const { reason } = verdictIn(await repository.run(["heartbeat", "T-1"]));
    const [, command = "false"] = /`(cp COPY [^`]+)`/.exec(reason) ?? [];
    execFileSync("sh", ["-c", command.replace("COPY", copy)]);
    expect(await repository.run(["heartbeat", "T-1"])).toMatchObject({ status: 0 });
    expect(await repository.run(["reconcile"])).toMatchObject({ status: 0 });
  });

  it("is refused to an agent", async () => {
    using repository = copyOfTemplate();
    rmSync(database(stateIn(repository)));
    const env = { LOCKSTEP_TASK: "T-1", LOCKSTEP_EPOCH: "1" };
    const run = await repository.run(["reconcile", "--accept-loss"], { env });
    expect(run).toMatchObject({ status: 2, stderr: expect.stringContaining("R-AU-001") });
    expect(existsSync(join(stateIn(repository), "audit.head"))).toBe(true);
  });
});

describe.concurrent("an event that was rewritten", () => {
  it.each<[string, (body: string, sum: string) => string]>([
    ["is found", (_, sum) => sum],
    ["is found even with a new checksum", (body) => sumOf(3, body)],
  ])("%s by its number", async (_, newSum) => {
    using repository = copyOfTemplate();
    edit(stateIn(repository), (open) => {
      const row = open.prepare("SELECT body, sum FROM events WHERE key = 3").get();
      const forged = String(row?.body).replace('"actor":"person"', '"actor":"system"');
      expect(forged).not.toBe(row?.body);
      const update = open.prepare("UPDATE events SET body = ?, sum = ? WHERE key = 3");
      update.run(forged, newSum(forged, String(row?.sum)));
    });
    const run = await repository.run(["audit", "verify"]);
    expect(run.status).toBe(1);
    expect(run.stdout + run.stderr).toMatch(/event 3\b|row `3` of table events/);
  });
});

describe.concurrent("a ledger that does not exist yet", () => {
  it("is no error for read commands, even if its creation was interrupted", async () => {
    using repository = temporaryRepository();
    mkdirSync(stateIn(repository), { mode: 0o700 });
    writeFileSync(database(stateIn(repository)), "", { mode: 0o600 });
    for (const words of [["status"], ["lock", "list"], ["watchdog"], ["reconcile"], ["audit", "verify"]])
      expect(await repository.run(words), words.join(" ")).toMatchObject({ status: 0, stderr: "" });
    await dispatch(repository, "T-1");
  });
});

describe.concurrent("a ledger that is replaced during a watchdog", () => {
  it.each([
    ["at its next change", 8],
    ["even if it has nothing to change", 600],
  ])("ends it %s, with the reason", async (_, timeout_seconds) => {
    using repository = temporaryRepository();
    await dispatch(repository, "T-1", { timeout_seconds });
    using watchdog = repository.start(["watchdog", "--every", "1"]);
    await eventually("a watchdog", () => /watching/.exec(watchdog.errors())?.[0]);
    const [file, aside] = [database(stateIn(repository)), join(repository.path, "aside.db")];
    renameSync(file, aside);
    cpSync(aside, file);
    await eventually("the end of the watchdog", () => watchdog.process.exitCode ?? undefined);
    const run = await watchdog.ended;
    expect(run).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/E-STORE.*restart the command/s),
    });
  });
});

function sumOf(key: number, body: string): string {
  return hash("sha256", `events\0${key}\0${body}`).slice(0, 16);
}

/** A rewrite that circumvents the triggers: they are restored afterwards. */
function edit(folder: string, change: (open: DatabaseSync) => void): void {
  const { DatabaseSync } = loadSqlite();
  const open = new DatabaseSync(database(folder));
  const triggers = open.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) open.exec(`DROP TRIGGER ${name}`);
  change(open);
  for (const { sql } of triggers) open.exec(String(sql));
  open.close();
}

function copyOfTemplate(): Repository {
  const repository = temporaryRepository();
  cpSync(stateIn(template), stateIn(repository), { recursive: true });
  cpSync(join(template.path, "older"), join(repository.path, "older"), { recursive: true });
  return repository;
}

async function dispatch(repository: Repository, task: string, assignment = {}): Promise<void> {
  const document = packet(task, [`src/${task}`], {
    assignment: { heartbeat_interval_seconds: 1, ...assignment },
  });
  const input = JSON.stringify(document);
  expect(verdictIn(await repository.run(["dispatch"], { input }))).toMatchObject({ allow: true });
}

function stateIn({ path }: Repository): string {
  return join(path, ".git", "lockstep");
}

function bytesIn(folder: string): string {
  const file = database(folder);
  return existsSync(file) ? hash("sha256", readFileSync(file)) : "none";
}

function keptIn(folder: string): string[] {
  const kept = readdirSync(folder).filter((name) => name.startsWith("state.db.corrupt-"));
  return kept.map((name) => hash("sha256", readFileSync(join(folder, name))));
}
