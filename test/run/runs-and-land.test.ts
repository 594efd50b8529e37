import { expect, it } from "vitest";
import { answer, planned, planText, readRun, task, writes } from "../support/planned-repository.ts";

it("two runs and a landing at the same time merge everything once, while checkouts are reused", async () => {
  const ids = ["A", "B", "C", "D", "E"];
  // More than the maximum number of files of a checkout that is reused.
  const many = Object.fromEntries(Array.from({ length: 260 }, (_, at) => [`many/${at}.txt`, `${at}\n`]));
  using repository = planned({
    files: many,
    agents: Object.fromEntries(ids.map((id) => [id.toLowerCase(), [[writes(id), answer("OK")]]])),
    // One after the other, so that the later tasks get the checkouts of the earlier ones.
    tasks: [task("A", "a"), task("B", "b", ", depends_on: [A]"), task("C", "c", ", depends_on: [B]")],
  });
  repository.write("other.yaml", planText([task("D", "d"), task("E", "e", ", depends_on: [D]")], "other"));
  const { git } = repository;
  git("checkout", "-q", "-b", "work");
  repository.write("work.txt", "made by hand\n");
  git("add", "work.txt");
  git("commit", "-qm", "work");
  git("checkout", "-q", "main");
  const [first, second, landed] = await Promise.all([
    repository.run(["run", "--json"]),
    repository.run(["run", "other.yaml", "--json"]),
    repository.run(["land", "work", "--json"]),
  ]);
  for (const { status, stderr } of [first, second, landed]) expect(status, stderr).toBe(0);
  expect(readRun(first.stdout).states).toEqual({ A: "MERGED", B: "MERGED", C: "MERGED" });
  expect(readRun(second.stdout).states).toEqual({ D: "MERGED", E: "MERGED" });
  const merged = git("log", "--first-parent", "--merges", "--format=%s", "main").split("\n").toSorted();
  expect(merged).toEqual([...ids.map((id) => `${id}: do ${id}`), "Land work: work"]);
  const files = git("ls-tree", "--name-only", "main").split("\n");
  expect(files).toEqual(expect.arrayContaining(["work.txt", ...ids.map((id) => `${id}.txt`)]));
  // Each task changed only its own file: its checkout had nothing of an earlier attempt.
  for (const id of ids) {
    const [commit = ""] = git(
      "log",
      "--first-parent",
      "--merges",
      `--grep=^${id}: `,
      "--format=%H",
      "main",
    ).split("\n");
    expect(git("diff", "--name-only", `${commit}^1`, commit)).toBe(`${id}.txt`);
  }
  expect((await repository.run(["reconcile"])).status).toBe(0);
  expect((await repository.run(["audit", "verify"])).status).toBe(0);
  expect(git("status", "--porcelain", "--untracked-files=no")).toBe("");
});
