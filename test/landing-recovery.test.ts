import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Landing, prepareLanding } from "../src/engine/record-landing.ts";
import { moveBase, recoverLandings } from "../src/run/move-base.ts";
import { memoryEngine, person, storyOf } from "./support/memory-engine.ts";
import { temporaryRepository } from "./support/run-command.ts";

function repositoryWithBranch() {
  const repository = temporaryRepository({ "f.txt": "1\n", "slow.sh": "sleep 0.2\n" });
  const { git } = repository;
  git("checkout", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "base");
  git("checkout", "-q", "-b", "work");
  repository.write("g.txt", "2\n");
  git("add", "-A");
  git("commit", "-qm", "work");
  git("checkout", "-q", "main");
  return { ...repository, git };
}

describe("a landing that was interrupted", () => {
  async function interrupted(moved: boolean) {
    const repository = repositoryWithBranch();
    const engine = await memoryEngine();
    engine.dead.add(7);
    const landing: Landing = {
      branch: "work",
      title: "work",
      base: "main",
      from: repository.git("rev-parse", "main"),
      to: repository.git("rev-parse", "work"),
      scope: ["."],
      evidence: [{ command: "true", outcome: "pass" }],
      runner: { pid: 7, startedAt: "1", boot: "boot-1" },
    };
    const task = await prepareLanding(engine, landing, person);
    if (moved) expect(await moveBase(repository.path, landing)).toBeUndefined();
    return { repository, engine, task };
  }

  it("after the base moved is finished, and only once", async () => {
    const { repository, engine, task } = await interrupted(true);
    using _repository = repository;
    expect(await recoverLandings(engine, repository.path, person)).toHaveLength(1);
    expect(await storyOf(engine, task)).toEqual([
      "· → PENDING",
      "PENDING → IN_PROGRESS",
      "IN_PROGRESS → REVIEW",
      "REVIEW → MERGED",
    ]);
    expect(await recoverLandings(engine, repository.path, person)).toEqual([]);
    expect(await engine.ledger.tasks()).toHaveLength(1);
  });

  it("before the base moved is dropped, and leaves no task", async () => {
    const { repository, engine } = await interrupted(false);
    using _repository = repository;
    expect(await recoverLandings(engine, repository.path, person)).toHaveLength(1);
    expect(await engine.ledger.tasks()).toEqual([]);
    expect(await engine.ledger.intents()).toEqual([]);
  });

  it("is left to the process that is still at it", async () => {
    const { repository, engine } = await interrupted(false);
    using _repository = repository;
    engine.dead.clear();
    expect(await recoverLandings(engine, repository.path, person)).toEqual([]);
    expect(await engine.ledger.intents()).toHaveLength(1);
  });
});

describe("kill -9 at any moment of a landing", () => {
  it("leaves the base old or new, never between, and the next landing merges once", async () => {
    let killed = 0;
    for (let round = 0; round < 12; round += 1) {
      using repository = repositoryWithBranch();
      const before = repository.git("rev-parse", "main");
      using running = repository.start(["land", "work", "--check", "sh slow.sh"]);
      await sleep(150 + round * 110);
      if (running.process.kill("SIGKILL")) killed += 1;
      await running.ended;
      const now = repository.git("rev-parse", "main");
      const parents = repository.git("show", "-s", "--format=%P", now).split(" ");
      expect(
        now === before || (parents[0] === before && parents[1] === repository.git("rev-parse", "work")),
      ).toBe(true);
      const again = await repository.run(["land", "work", "--check", "sh slow.sh", "--json"]);
      expect({ round, status: again.status, outcome: JSON.parse(again.stdout).outcome }).toEqual({
        round,
        status: 0,
        outcome: expect.stringMatching(/^(?:merged|nothing)$/),
      });
      expect(repository.git("rev-list", "--merges", "--count", "main")).toBe("1");
      expect(repository.git("show", "main:g.txt")).toBe("2");
      expect((await repository.run(["reconcile"])).status).toBe(0);
      const tasks = JSON.parse((await repository.run(["task", "list", "--json"])).stdout) as {
        state: string;
      }[];
      expect(tasks.map(({ state }) => state)).toEqual(["MERGED"]);
      expect(repository.git("status", "--porcelain")).toBe("");
    }
    expect(killed).toBeGreaterThan(1);
  });
});
