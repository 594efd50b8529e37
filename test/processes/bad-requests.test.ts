import { describe, expect, it } from "vitest";
import { packet } from "../support/memory-engine.ts";
import {
  type CommandRun,
  type Repository,
  startProgram,
  temporaryRepository,
  verdictIn,
} from "../support/run-command.ts";
import { command } from "../support/run-hook.ts";

const huge = "x".repeat(2 * 1024 * 1024);

const documents: [string, Uint8Array | string][] = [
  ["two megabytes of text", huge],
  ["two megabytes of JSON", JSON.stringify({ ...packet("T-9", ["lib"]), notes: huge })],
  ["all kinds of bytes", Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 197 + 131) % 256))],
  ["the start of a picture", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")],
  ["nothing", ""],
  ["half a packet", JSON.stringify(packet("T-9", ["lib"])).slice(0, 90)],
];

describe.concurrent("a document", () => {
  it("that cannot be parsed is refused, and nothing changes", async () => {
    using repository = await withTask();
    for (const [name, input] of documents)
      for (const words of [["dispatch"], ["submit", "T-1"]])
        expectRefused(await repository.run(words, { input }), "R-IN-001", name);
    await expectUntouched(repository);
  });

  it("that is missing because stdin is closed is refused too", async () => {
    using repository = await withTask();
    for (const words of ["dispatch", "submit T-1"]) {
      const script = `exec "$0" "$1" ${words} <&-`;
      const run = await startProgram(["sh", "-c", script, process.execPath, command], {
        cwd: repository.path,
      }).ended;
      expectRefused(run, "R-IN-001");
    }
    await expectUntouched(repository);
  });
});

describe.concurrent("a configuration with two errors", () => {
  const config = "version: 1\nlimits:\n  max_paralel: 4\n  widen: perhaps\n";

  it("is refused by every command that works under it, with file and line of both", async () => {
    using repository = temporaryRepository({ ".lockstep/config.yaml": config });
    const both = /\.lockstep\/config\.yaml:3\b.*`max_parallel`.*\.lockstep\/config\.yaml:4\b.*`perhaps`/s;
    const input = JSON.stringify(packet("T-1", ["src"]));
    const run = await repository.run(["dispatch"], { input });
    expectRefused(run, "E-CONFIG");
    expect(verdictIn(run).reason).toMatch(both);
    for (const words of [["run"], ["do", "x"], ["task", "add", "T-2", "--scope", "x"], ["clean"]]) {
      const read = await repository.run(words);
      expect(read, words.join(" ")).toMatchObject({ status: 2, stdout: "" });
      expect(read.stderr).toMatch(both);
    }
    repository.write(".lockstep/config.yaml", "version: 1\nlimits:\n  max_parallel: 4\n");
    expect(await repository.run(["dispatch"], { input })).toMatchObject({ status: 0 });
  });
});

describe.concurrent("an agent with a task", () => {
  it("without an epoch, or with a wrong one, is refused", async () => {
    using repository = await withTask();
    const codes = { "": "R-LS-001", "0": "R-LS-001", "2": "R-LS-001", first: "R-IN-001", "-1": "R-IN-001" };
    for (const [epoch, code] of [[undefined, "R-LS-001"] as const, ...Object.entries(codes)]) {
      const env = { LOCKSTEP_TASK: "T-1", ...(epoch === undefined ? {} : { LOCKSTEP_EPOCH: epoch }) };
      for (const operation of ["heartbeat", "submit", "complete", "release"])
        expectRefused(await repository.run([operation, "T-1"], { env, input: "{}" }), code, `epoch ${epoch}`);
    }
    await expectUntouched(repository);
  });

  it("may not dispatch, tick or read the audit log", async () => {
    using repository = await withTask();
    const env = { LOCKSTEP_TASK: "T-1", LOCKSTEP_EPOCH: "1" };
    const input = JSON.stringify(packet("T-9", ["lib"]));
    expectRefused(await repository.run(["dispatch"], { env, input }), "R-AU-001");
    expectRefused(await repository.run(["watchdog"], { env }), "R-AU-001");
    for (const words of [["audit", "verify"], ["reconcile"]])
      expect(await repository.run(words, { env })).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("R-AU-001"),
      });
    await expectUntouched(repository);
  });
});

async function withTask(): Promise<Repository> {
  const repository = temporaryRepository();
  const input = JSON.stringify(packet("T-1", ["src"]));
  expect(await repository.run(["dispatch"], { input })).toMatchObject({ status: 0 });
  return repository;
}

/** Exit 2, the verdict on stdout, and its reason on stderr: one line, or one for each problem. */
function expectRefused(run: CommandRun, code: string, what = ""): void {
  expect(run, `${what}: ${run.stdout}`).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^(?:lockstep: .+\n)+$/),
  });
  const verdict = verdictIn(run);
  expect(verdict).toMatchObject({ allow: false, code });
  const { problems = [verdict.reason] } = (verdict.details ?? {}) as { problems?: string[] };
  expect(run.stderr).toBe(problems.map((one) => `lockstep: ${verdict.code}: ${one}\n`).join(""));
}

async function expectUntouched(repository: Repository): Promise<void> {
  const [listed, shown] = await Promise.all([
    repository.run(["audit", "list", "--json"]),
    repository.run(["task", "list", "--json"]),
  ]);
  expect(JSON.parse(listed.stdout)).toHaveLength(2);
  expect(JSON.parse(shown.stdout)).toMatchObject([{ id: "T-1", state: "IN_PROGRESS", epoch: 1 }]);
}
