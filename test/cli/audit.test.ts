import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { findProject } from "../../src/workspace/files/find-project.ts";
import { abandonedFolders, headsFolder } from "../../src/workspace/state/state-home.ts";
import { committed, creating, newTask } from "../ledger/sample-documents.ts";
import { type Repository, temporaryRepository } from "../support/run-command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ledgerIn = ({ path }: Pick<Repository, "path">) => join(path, ".git/lockstep");

/** One more event for each. Only the ledger has them. */
async function add(repository: Repository, ...tasks: string[]): Promise<void> {
  const ledger = await openSqliteLedger({ folder: ledgerIn(repository), create: true });
  for (const task of tasks) committed(await ledger.commit(creating(newTask(task))));
  ledger.close();
}

function restore(repository: Repository, copy: string): void {
  rmSync(ledgerIn(repository), { recursive: true });
  cpSync(join(repository.path, copy), ledgerIn(repository), { recursive: true });
}

const holds = { status: 0, stdout: expect.stringMatching(/the hash chain is intact\n$/), stderr: "" };

describe("an older copy of the ledger's folder", () => {
  it("is refused by every command with the first missing event, until a person accepts it", async () => {
    using repository = temporaryRepository();
    using home = temporaryFolder();
    const env = { XDG_STATE_HOME: home.path };
    const run = (...words: string[]) => repository.run(words, { env });
    await add(repository, "T-1");
    cpSync(ledgerIn(repository), join(repository.path, "older"), { recursive: true });
    expect(await run("task", "cancel", "T-1", "--reason", "no")).toMatchObject({ status: 0 });
    restore(repository, "older");
    const { status, stderr } = await run("audit", "verify");
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /E-STORE: .* event 2 is missing at the end, but `.*\/lockstep\/[^/]+\/heads\/[0-9a-f]{16}` records them: .* `lockstep ledger accept-loss`/,
    );
    expect(stderr).toContain(`\`${home.path}/lockstep/`);
    expect((await run("task", "show", "T-1")).stderr).toContain("event 2 is missing at the end");
    expect(await run("reconcile", "--accept-loss")).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(
        /the old files are kept: .*audit\.head\.lost-.*, .*heads\/[0-9a-f]{16}\.lost-/,
      ),
    });
    expect(await run("audit", "verify")).toMatchObject(holds);
  });
});

describe("the second place of a ledger's head", () => {
  it("belongs to the path of the repository, for all its worktrees, and is removed after the repository", () => {
    using folder = temporaryFolder();
    const before = process.env.XDG_STATE_HOME;
    process.env.XDG_STATE_HOME = join(folder.path, "home");
    try {
      const [one, tree, two] = ["one", "tree", "two"].map((name) => join(folder.path, name)) as [
        string,
        string,
        string,
      ];
      const git = (...words: string[]) =>
        execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", "-C", one, ...words]);
      mkdirSync(one);
      git("init", "-q");
      git("commit", "-q", "--allow-empty", "-m", "first");
      git("worktree", "add", "-q", tree);
      const placeOf = (path: string) => headsFolder(findProject(path));
      const { path, create } = placeOf(one);
      expect(path).toMatch(/\/home\/lockstep\/one-[0-9a-f]{12}\/heads$/);
      expect(placeOf(tree).path).toBe(path);
      create();
      expect(abandonedFolders(Infinity)).toEqual([]);
      renameSync(one, two);
      expect(placeOf(two).path).not.toBe(path);
      expect(abandonedFolders(Infinity)).toEqual([join(path, "..")]);
      mkdirSync(join(folder.path, "plain/.lockstep"), { recursive: true });
      expect(placeOf(join(folder.path, "plain")).path).toMatch(/\/plain-[0-9a-f]{12}\/heads$/);
    } finally {
      if (before === undefined) delete process.env.XDG_STATE_HOME;
      else process.env.XDG_STATE_HOME = before;
    }
  });
});

describe("an export", () => {
  it("ends with the head; the head and the events are compared with the log later", async () => {
    using repository = temporaryRepository();
    const [whole, head] = ["whole.jsonl", "head.json"].map((name) => join(repository.path, name)) as [
      string,
      string,
    ];
    const verify = (file: string) => repository.run(["audit", "verify", "--head", file]);
    await add(repository, "T-1");
    cpSync(ledgerIn(repository), join(repository.path, "older"), { recursive: true });
    await add(repository, "T-2", "T-3");
    expect((await repository.run(["audit", "export", whole])).stderr).toBe(`3 events written to ${whole}\n`);
    const lines = readFileSync(whole, "utf8").trimEnd().split("\n");
    const [, , last, link] = lines.map((line) => JSON.parse(line));
    expect(link).toEqual({ head: { seq: 3, hash: last.hash } });
    repository.write("head.json", `${lines.at(-1)}\n`);
    await add(repository, "T-4");
    for (const file of [whole, head]) expect(await verify(file)).toMatchObject(holds);

    restore(repository, "older");
    const missing = /^event 2: it and all up to event 3 are missing: .* has them\n$/;
    for (const file of [whole, head])
      expect(await verify(file)).toMatchObject({ status: 1, stdout: expect.stringMatching(missing) });
    await add(repository, "T-8", "T-9");
    expect(await verify(head)).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^event 3: it differs/),
    });
    const { stdout } = await repository.run(["audit", "verify", "--json", "--head", whole]);
    expect(JSON.parse(stdout)).toMatchObject({ events: 3, problems: [{ seq: 2 }] });
  });

  it("is refused from a file that is not an export", async () => {
    using repository = temporaryRepository();
    for (const [text, message] of [
      [undefined, /cannot be read: ENOENT/],
      ["", /is not an export: it is empty/],
      ['{"head":{"seq":1,"hash":"a"}}\n[]\nseq 1\n', /is not an export: line 2 is neither/],
    ] as const) {
      if (text !== undefined) repository.write("file", text);
      const { status, stderr } = await repository.run(["audit", "verify", "--head", "file"]);
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(message) });
    }
  });
});
