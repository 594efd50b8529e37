import type { Point } from "../../src/core/points/points.ts";
import type { Ports } from "../../src/core/points/ports.ts";
import { decide } from "../../src/core/rules/rule.ts";
import type { Verdict } from "../../src/core/rules/verdict.ts";
import { type DiskContents, memoryDisk } from "./memory-disk.ts";

/**
 * The ports of a project at `/repo` on a small disk. A note that contains the word SECRET counts as one with a secret.
 */
export function memoryPorts(contents: DiskContents = {}): Ports {
  return {
    place: { root: "/repo", home: "/home/me" },
    disk: memoryDisk({ "/repo": null, ...contents }),
    findSecrets: async (text) => (text.includes("SECRET") ? [{ rule: "test-rule" }] : []),
    saveSnapshot: async (session) => ({ path: `/snapshots/${session}.json` }),
  };
}

export function judge<Facts>(
  point: Point<Facts>,
  payload: unknown,
  ports: Ports = memoryPorts(),
): Promise<Verdict> {
  return decide(point.rules, point.factsOf(payload, ports));
}
