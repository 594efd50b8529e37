import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../bench/random.ts";
import { type BaseMove, prepareMove } from "../../src/engine/change/base-moves.ts";
import { crashPoints } from "../../src/run/landing/integration.ts";
import { moveBase } from "../../src/run/landing/move/move-base.ts";
import { recoverMoves } from "../../src/run/landing/move/recover-moves.ts";
import { undoHalfMove } from "../../src/workspace/git/undo-half-move.ts";
import { killingGit } from "../support/killing-git.ts";
import { memoryEngine, person, storyOf } from "../support/memory-engine.ts";
import { eventually, type Repository, startProgram, temporaryRepository } from "../support/run-command.ts";

const child = new URL("../support/integration-child.ts", import.meta.url).pathname;

function repositoryWithBranches() {
  const repository = temporaryRepository({ "f.txt": "1\n", "gone.txt": "x\n", "same.txt": "s\n" });
  const { git } = repository;
  git("add", "-A");
  git("commit", "-qm", "base");
  for (const name of ["work", "more"]) {
    git("checkout", "-q", "-b", name, "main");
    repository.write(`${name}.txt`, "2\n");
    if (name === "work") {
      repository.write("f.txt", "2\n");
      git("rm", "-q", "gone.txt");
    }
    git("add", "-A");
    git("commit", "-qm", name);
  }
  git("checkout", "-q", "main");
  return repository;
}

const landing = ["land", "work", "more", "--check", "true"];
const rounds = 14;

/** Holds after every crash: the base is old or new, and nothing was merged twice. */
function expectOldOrNew(repository: Repository, before: string) {
  const now = repository.git("rev-parse", "main");
  if (now === before) return "old";
  const [one, two] = repository.git("rev-list", "--first-parent", `${before}..main`).split("\n");
  expect(repository.git("show", "-s", "--format=%P", two ?? "").split(" ")).toEqual([
    before,
    repository.git("rev-parse", "work"),
  ]);
  expect(repository.git("show", "-s", "--format=%P", one ?? "").split(" ")).toEqual([
    two,
    repository.git("rev-parse", "more"),
  ]);
  return "new";
}

async function landAgain(repository: Repository, { thorough = true } = {}) {
  const again = await repository.run(["land", "work", "more", "--check", "true", "--json"]);
  expect(again.status, again.stderr).toBe(0);
  expect(repository.git("rev-list", "--merges", "--count", "main")).toBe("2");
  expect(repository.git("status", "--porcelain")).toBe("");
  expect(existsSync(`${repository.path}/gone.txt`)).toBe(false);
  if (thorough) expect((await repository.run(["reconcile"])).status).toBe(0);
  const listed = JSON.parse((await repository.run(["task", "list", "--json"])).stdout) as { state: string }[];
  expect(listed.map(({ state }) => state)).toEqual(["MERGED", "MERGED"]);
  for (const commit of repository.git("rev-list", "--merges", "main").split("\n"))
    expect(JSON.parse(repository.git("notes", "--ref=lockstep", "show", commit))).toMatchObject({
      evidence: [{ command: "true" }],
    });
  expect(repository.git("for-each-ref", "refs/lockstep/integration")).toBe("");
}

describe("an integration that is killed", () => {
  it.each(crashPoints)(
    "while it is %s is finished or undone by the next integration, and merged once",
    async (point) => {
      using repository = repositoryWithBranches();
      const before = repository.git("rev-parse", "main");
      const words = [process.execPath, child, point, "land", "work", "more"];
      const env = { XDG_STATE_HOME: `${repository.path}/.git/state` };
      using running = startProgram(words, { cwd: repository.path, env });
      expect(await running.ended).toMatchObject({ signal: "SIGKILL" });
      const moved = ["moved", "noted", "settled"].includes(point);
      expect(expectOldOrNew(repository, before)).toBe(moved ? "new" : "old");
      await landAgain(repository);
      const { stdout } = await repository.run(["audit", "verify", "--json"]);
      expect(JSON.parse(stdout)).toMatchObject({ problems: [] });
    },
  );

  it("while git holds the ref of its trial merges does not block the next integration", async () => {
    using repository = repositoryWithBranches();
    const ref = "refs/lockstep/integration/999999-1-gone";
    repository.git("update-ref", ref, "work");
    repository.write(`.git/${ref}.lock`, "");
    await landAgain(repository);
    expect(existsSync(`${repository.path}/.git/${ref}.lock`)).toBe(false);
  });

  it("at any of its git commands leaves the base old or new, and the next integration merges each branch once", {
    timeout: 400_000,
  }, async () => {
    const random = seededRandom(20_261_115);
    using whole = killingGit(0);
    using unharmed = repositoryWithBranches();
    const run = await unharmed.run(landing, { env: whole.env });
    expect(run.status, run.stderr).toBe(0);
    const count = whole.started();
    const lines = new Set<string>();
    let killed = 0;
    for (let round = 0; round < rounds; round += 1) {
      using repository = repositoryWithBranches();
      const before = repository.git("rev-parse", "main");
      // One in each part of the landing; the last git commands move the refs.
      const at = Math.ceil(((round + random()) * count) / rounds);
      using killing = killingGit(at, round % 2 === 0 ? "works on" : "dies too");
      using running = repository.start(landing, { env: killing.env });
      const { signal, status, stderr } = await running.ended;
      if (signal === "SIGKILL") {
        killed += 1;
        await eventually("the end of its git", () => killing.isOver() || undefined);
      } else expect(status, stderr).toBe(0); // this time it needed fewer git commands
      lines.add(expectOldOrNew(repository, before));
      await landAgain(repository, { thorough: round % 5 === 0 });
    }
    // Whether one of them comes after the move depends on the number of git commands; the cases above cover it.
    expect(lines).toContain("old");
    expect(killed).toBeGreaterThan(rounds / 2);
  });
});

describe("a move of the base that was interrupted", () => {
  async function interrupted(moved: boolean) {
    const repository = repositoryWithBranches();
    const engine = await memoryEngine();
    engine.dead.add(7);
    const to = repository.git("rev-parse", "work");
    const move: BaseMove = {
      kind: "land",
      base: "main",
      from: repository.git("rev-parse", "main"),
      to,
      batch: "BATCH-1",
      members: [
        {
          task: "land-work",
          branch: "work",
          title: "work",
          commit: to,
          scope: ["."],
          evidence: [
            {
              ...{ command: "true", tree: "0".repeat(40), kind: "project", outcome: "pass" },
              ...{ before: null, after: { exit: 0, seconds: 0, digest: "", tail: "" }, again: null },
            },
          ],
          proof: {},
        },
      ],
      runner: { pid: 7, startedAt: "1", boot: "boot-1" },
    };
    await prepareMove(engine, move, person);
    if (moved) expect(await moveBase(repository.path, move)).toBeUndefined();
    const recover = () => recoverMoves({ engine, call: person, repository: { root: repository.path } });
    return { repository, engine, recover };
  }

  it("after it took effect is finished exactly once, even by two processes at the same time", async () => {
    const { repository, engine, recover } = await interrupted(true);
    using _repository = repository;
    await Promise.all([recover(), recover()]);
    expect(await storyOf(engine, "land-work")).toEqual([
      "· → PENDING",
      "PENDING → IN_PROGRESS",
      "IN_PROGRESS → REVIEW",
      "REVIEW → MERGED",
    ]);
    expect(await recover()).toEqual([]);
    expect(await engine.ledger.tasks()).toHaveLength(1);
  });

  it("before it took effect is dropped, and leaves no task", async () => {
    const { repository, engine, recover } = await interrupted(false);
    using _repository = repository;
    expect(await recover()).toHaveLength(1);
    expect(await engine.ledger.tasks()).toEqual([]);
    expect(await engine.ledger.intents()).toEqual([]);
  });

  it("is dropped even if git was killed with it and left its lock files", async () => {
    const { repository, recover } = await interrupted(false);
    using _repository = repository;
    repository.write(".git/index.lock", "");
    repository.write(".git/refs/heads/main.lock", "");
    const lines = await recover();
    expect(lines.filter((line) => line.startsWith("removed"))).toHaveLength(2);
    repository.git("commit", "-q", "--allow-empty", "-m", "a later commit");
  });

  it("is left to the process that is still working on it", async () => {
    const { repository, engine, recover } = await interrupted(false);
    using _repository = repository;
    engine.dead.clear();
    expect(await recover()).toEqual([]);
    expect(await engine.ledger.intents()).toHaveLength(1);
  });
});

describe("an operation of git that was interrupted by a kill", () => {
  const sides = (repository: Repository) => ({
    from: repository.git("rev-parse", "main"),
    to: repository.git("rev-parse", "work"),
    keepAs: "refs/lockstep/put-back/test",
  });
  const clean = (repository: Repository) => repository.git("status", "--porcelain");

  it.each<[string, (repository: Repository) => void]>([
    ["all files and the index are the new ones", (one) => one.git("read-tree", "-m", "-u", "main", "work")],
    [
      "files are the new ones, and the index is not",
      (one) => {
        one.write("f.txt", "2\n");
        one.write("work.txt", "2\n");
        rmSync(`${one.path}/gone.txt`);
      },
    ],
    ["a file is half written", (one) => begun(one, () => one.write("f.txt", ""))],
    ["a file is deleted and not written yet", (one) => begun(one, () => rmSync(`${one.path}/f.txt`))],
  ])("is reverted: %s", async (_name, leave) => {
    using repository = repositoryWithBranches();
    leave(repository);
    expect(clean(repository)).not.toBe("");
    expect(await undoHalfMove(repository.path, sides(repository))).toHaveLength(1);
    expect(clean(repository)).toBe("");
    expect(readFileSync(`${repository.path}/f.txt`, "utf8")).toBe("1\n");
  });

  it.each<
    [string, Record<string, string>, (repository: Repository) => void, (repository: Repository) => void]
  >([
    [
      "a link that leads to a folder",
      { "v1/x": "1\n", "v2/x": "2\n" },
      (one) => link(one, "v1"),
      (one) => link(one, "v2"),
    ],
    [
      "a file that becomes a folder",
      { a: "file\n" },
      () => {},
      (one) => {
        rmSync(`${one.path}/a`);
        one.write("a/x", "new\n");
      },
    ],
    [
      "ends of lines that git translates",
      { ".gitattributes": "* text=auto eol=crlf\n", "t.txt": "1\n2\n" },
      () => {},
      (one) => one.write("t.txt", "1\r\n2\r\n3\r\n"),
    ],
    ["the mode alone", { "s.sh": "x\n" }, () => {}, (one) => chmodSync(`${one.path}/s.sh`, 0o755)],
    [
      "a new file, half written",
      {},
      () => {},
      (one) => {
        one.write("done.txt", "done\n");
        one.write("new.txt", "a long text, to its end\n");
      },
    ],
    [
      "a folder that becomes a link",
      { "dd/1": "1\n", "v2/x": "2\n" },
      () => {},
      (one) => {
        rmSync(`${one.path}/dd`, { recursive: true });
        symlinkSync("v2", `${one.path}/dd`);
      },
    ],
  ])("is reverted: %s", async (name, base, begin, change) => {
    using repository = temporaryRepository({ ...base, "f.txt": "1\n" });
    const { git } = repository;
    const commit = (message: string) => {
      git("add", "-A");
      git("commit", "-qm", message);
    };
    begin(repository);
    commit("base");
    git("checkout", "-q", "-b", "work");
    change(repository);
    commit("work");
    git("checkout", "-q", "main");
    expect(clean(repository)).toBe("");
    change(repository);
    if (name.endsWith("half written")) repository.write("new.txt", "a long");
    expect(clean(repository)).not.toBe("");
    expect(await undoHalfMove(repository.path, sides(repository))).toHaveLength(1);
    expect(clean(repository)).toBe("");
  });

  it("is kept on a ref before it is reverted", async () => {
    using repository = repositoryWithBranches();
    begun(repository, () => repository.write("f.txt", ""));
    await undoHalfMove(repository.path, sides(repository));
    expect(repository.git("show", "refs/lockstep/put-back/test:f.txt")).toBe("");
  });

  it.each<[string, Record<string, string>, (repository: Repository) => void]>([
    [
      "a folder in the place of a new file",
      { "dd/1": "1\n" },
      (one) => rmSync(`${one.path}/dd`, { recursive: true }),
    ],
    ["an emptied file", { "e.txt": "long\n" }, (one) => one.write("e.txt", "longer\n")],
  ])("is left alone if git had not begun: %s", async (name, base, change) => {
    using repository = temporaryRepository({ ...base, "f.txt": "1\n", ".gitignore": "*.env\n" });
    const { git } = repository;
    git("add", "-A");
    git("commit", "-qm", "base");
    git("checkout", "-q", "-b", "work");
    change(repository);
    repository.write("new.txt", "theirs\n");
    repository.write("local.env", "theirs\n");
    if (name.startsWith("a folder")) repository.write("dd", "file\n");
    git("add", "-A", "-f");
    git("commit", "-qm", "work");
    git("checkout", "-q", "main");
    for (const file of ["new.txt", "local.env"]) repository.write(file, "mine, written since\n");
    if (!name.startsWith("a folder")) repository.write("e.txt", "");
    expect(await undoHalfMove(repository.path, sides(repository))).toEqual([]);
    expect(readFileSync(`${repository.path}/local.env`, "utf8")).toBe("mine, written since\n");
    expect(readFileSync(`${repository.path}/new.txt`, "utf8")).toBe("mine, written since\n");
  });

  it("does not revert what a person wrote since, in a file that changes and in others", async () => {
    using repository = repositoryWithBranches();
    repository.write("f.txt", "mine\n");
    repository.write("same.txt", "mine too\n");
    repository.write("own.txt", "own\n");
    const before = clean(repository);
    expect(await undoHalfMove(repository.path, sides(repository))).toEqual([]);
    expect(clean(repository)).toBe(before);
    expect(readFileSync(`${repository.path}/f.txt`, "utf8")).toBe("mine\n");
  });
});

/** Git has written one whole file. */
function begun(repository: Repository, next: () => void): void {
  repository.write("work.txt", "2\n");
  next();
}

function link(repository: Repository, to: string): void {
  rmSync(`${repository.path}/latest`, { force: true });
  symlinkSync(to, `${repository.path}/latest`);
}
