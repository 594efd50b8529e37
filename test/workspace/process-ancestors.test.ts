import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { lineageOf, listProcesses } from "../../src/workspace/process/process-ancestors.ts";

describe.runIf(process.platform === "linux")("the processes above one", () => {
  it("are seen with their words, folders and what they were started with", () => {
    const [self, parent] = lineageOf(process.pid);
    expect(self).toMatchObject({ pid: process.pid, parent: process.ppid, folder: process.cwd() });
    expect(self?.words[0]).toContain("node");
    expect(self?.environment.PATH).toBeDefined();
    expect(Math.abs((self?.startedMs ?? 0) - (Date.now() - process.uptime() * 1000))).toBeLessThan(60_000);
    expect(parent?.pid).toBe(process.ppid);
  });

  it("end where a process is unknown", () => {
    expect(lineageOf(2 ** 30)).toEqual([]);
  });

  it.runIf(spawnSync("ps", ["-V"]).status === 0)("are the same as `ps` tells where there is no /proc", () => {
    const told = listProcesses();
    for (const { pid, parent } of lineageOf(process.pid).slice(0, 2))
      expect(told.get(pid)).toMatchObject({ pid, parent });
  });
});
