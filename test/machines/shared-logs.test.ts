import { afterAll, expect, it } from "vitest";
import type { SharedLogs } from "../../src/ledger/ledger.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open-ledger.ts";
import { LogSharing } from "../../src/run/conduct/fleet/share-logs.ts";
import { LogReader } from "../../src/run/landing/work/read-logs.ts";
import { TaskLogs, taskLogFile } from "../../src/run/landing/work/task-logs.ts";
import { closeDatabases, takeDatabase } from "../support/ledger-databases.ts";
import { eventually } from "../support/run-command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

afterAll(closeDatabases);

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

it("the end of a log can be read on other machines, in the order of all of them, with the place of the rest", async () => {
  const database = await takeDatabase();
  using home = temporaryFolder({});
  const ledger = await openPostgresLedger({ url: database.url });
  const logs = ledger.logs as SharedLogs;
  const machine = (name: string) => {
    const stateFolder = `${home.path}/${name}`;
    const faults: string[] = [];
    return {
      ...{ stateFolder, faults, files: new TaskLogs(stateFolder) },
      sharing: new LogSharing({
        ...{ logs, machine: name, stateFolder },
        onProgress: (line) => faults.push(line),
      }),
    };
  };
  const [works, merges] = [machine("works"), machine("merges")];
  const reader = new LogReader({ ledger, machine: "reads" }, `${home.path}/reads`, "T-1");
  expect(await reader.read()).toBeUndefined();
  const long = "x".repeat(1000);
  for (let line = 0; line < 50; line += 1) works.files.add("T-1", at(line), `${long} ${line} \0`);
  merges.files.add("T-1", at(48), "between");
  for (const { sharing } of [works, merges]) {
    sharing.grew("T-1");
    await sharing[Symbol.asyncDispose]();
  }
  const found = await reader.read();
  const bytes = found?.left.at(0)?.bytes ?? 0;
  expect(found?.left).toEqual([
    { machine: "works", file: taskLogFile(works.stateFolder, "T-1"), bytes: expect.any(Number) },
  ]);
  expect(bytes).toBeGreaterThan(50_000 - 33_000);
  expect(found?.lines.map((line) => line.replaceAll("x", "").slice(25)).slice(-3)).toEqual([
    " 48 \0",
    "between",
    " 49 \0",
  ]);
  expect(found?.lines.every((line) => line.startsWith("2026-01-01T00:00:"))).toBe(true);
  expect(await logs.asked(["T-1", "T-2"])).toEqual(["T-1"]);
  // New lines arrive while a person follows the log, without waiting for the slow interval of 20 seconds.
  const again = machine("works");
  for (const text of ["more", "still more"]) {
    again.files.add("T-1", at(50), text);
    again.sharing.grew("T-1");
    const more = await eventually(
      "the new line",
      async () => {
        const found = await reader.read();
        return found?.lines.length === 0 ? undefined : found;
      },
      15_000,
    );
    expect(more).toEqual({ lines: [`2026-01-01T00:00:50.000Z ${text}`], left: [] });
  }
  await again.sharing[Symbol.asyncDispose]();
  expect([...works.faults, ...merges.faults, ...again.faults]).toEqual([]);
  ledger.close();
  await database.free();
});
