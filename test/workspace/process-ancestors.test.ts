import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { lineageOf, listProcesses } from "../../src/workspace/process/process-ancestors.ts";

describe.runIf(process.platform === "linux")("the ancestors of a process", () => {
  it("have their arguments, folders and environments", () => {
    const [self, parent] = lineageOf(process.pid);
    expect(self).toMatchObject({ pid: process.pid, parent: process.ppid, folder: process.cwd() });
    expect(self?.words[0]).toContain("node");
    expect(self?.environment.PATH).toBeDefined();
    expect(Math.abs((self?.startedMs ?? 0) - (Date.now() - process.uptime() * 1000))).toBeLessThan(60_000);
    expect(parent?.pid).toBe(process.ppid);
  });

  it("end at an unknown process", () => {
    expect(lineageOf(2 ** 30)).toEqual([]);
  });

  it.runIf(spawnSync("ps", ["-V"]).status === 0)("come from `ps` if there is no /proc", () => {
    const listed = listProcesses();
    for (const { pid, parent } of lineageOf(process.pid).slice(0, 2))
      expect(listed.get(pid)).toMatchObject({ pid, parent });
  });
});
