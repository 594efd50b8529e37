import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { real } from "../../src/core/secrets/secret-samples.ts";
import { openMemoryLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { recordChecks } from "../../src/run/landing/evidence/record-proofs.ts";
import { keepOutput, readOutput, readProof } from "../../src/workspace/state/check-outputs.ts";
import { creating, newDecision, newTask } from "../ledger/sample-documents.ts";
import { memoryEngine } from "../support/memory-engine.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstep-outputs-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const messages: string[] = [];
const onProgress = (line: string) => void messages.push(line);

const record = async (name: string, log: string, command = "npm test") => {
  const engine = await memoryEngine();
  await recordChecks({ engine, stateFolder: folder, onProgress }, { branch: name }, [
    { command, outcome: "fail", exit: 1, log },
  ]);
  engine.ledger.close();
};

/** Outputs with increasing age, the oldest first. */
function oldOutputs(count: number): readonly string[] {
  const first = keepOutput(folder, "x\n");
  rmSync(first);
  return Array.from({ length: count }, (_, at) => {
    const path = join(first, "..", `20200101T${String(at).padStart(9, "0")}Z-00000000.log`);
    writeFileSync(path, `output ${at}\n`);
    utimesSync(path, new Date("2020-01-01"), new Date("2020-01-01"));
    return path;
  });
}

describe("the outputs of failed checks", () => {
  it("are readable by their owner only, and complete", () => {
    const path = keepOutput(folder, "é\n");
    expect(readOutput(path)).toBe("é\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  });

  it("cause no refusal if they cannot be recorded, which is reported", async () => {
    writeFileSync(join(folder, "logs"), "a file in place of the folder");
    messages.length = 0;
    await record("work", "x.log");
    expect(messages).toEqual([expect.stringContaining("`lockstep log` will not find these checks: ")]);
  });

  it("are deleted if there are too many, the oldest first", async () => {
    const old = oldOutputs(230);
    const newest = keepOutput(folder, "new\n");
    await record("work", newest);
    expect(old.filter((path) => existsSync(path))).toEqual(old.slice(31));
    expect(readOutput(newest)).toBe("new\n");
  });

  it("are kept while they are recent, or an open task or question refers to them", async () => {
    const [refused = "", asked = "", merged = "", cancelled = "", young = "", ...others] = oldOutputs(230);
    utimesSync(young, new Date(), new Date());
    const refusal = (log: string, more = {}) =>
      ({ refusal: { code: "R-PC-002", reason: "x", details: { log, ...more } } }) as const;
    const ledger = await openMemoryLedger();
    await ledger.commit(
      creating(newTask("T-1", refusal(refused)), newTask("T-2", refusal(cancelled, { cancelled: true }))),
    );
    await ledger.commit({ decisions: [newDecision("D-1", { data: { log: asked } })] });
    await recordChecks(
      { engine: await memoryEngine({ ledger }), stateFolder: folder, onProgress },
      { branch: "x" },
      [{ command: "c", outcome: "pass", exit: 0, log: null }],
    );
    ledger.close();
    expect([refused, asked, young].map((path) => existsSync(path))).toEqual([true, true, true]);
    expect([merged, cancelled, others[0] ?? ""].map((path) => existsSync(path))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("are found by any of their names, without secrets", async () => {
    const secret = real("ghp<+>_") + "aB3dE5".repeat(6);
    for (const name of ["feature/x", "../../etc", "é b", "x".repeat(240)]) {
      await record(name, "/x.log", `curl -H 'X: ${secret}'`);
      expect(readProof(folder, name)).toMatchObject({
        name,
        checks: [{ command: expect.stringContaining("[secret:"), log: "/x.log" }],
      });
    }
    expect(readProof(folder, "another")).toBeUndefined();
    expect(readdirSync(folder)).toEqual(["logs"]);
  });

  it("with a damaged record are not found, without an error", async () => {
    await record("work", "/x.log");
    const [name = ""] = readdirSync(join(folder, "logs/proofs"));
    writeFileSync(join(folder, "logs/proofs", name), "{");
    expect(readProof(folder, "work")).toBeUndefined();
  });

  it("cause no refusal if the folder cannot be written", async () => {
    writeFileSync(join(folder, "logs"), "a file in the way");
    await record("work", "/x.log");
  });
});
