import { ruleCodes } from "../../src/core/rules/catalog.ts";
import type { Verdict } from "../../src/core/rules/verdict.ts";
import { runPoint } from "../../src/hooks/run-point.ts";
import { memoryPorts } from "./judge.ts";

const ports = memoryPorts({ "/repo/worklogs/T-123.md": "worked on it\n", "/repo/src/a.py": "x" });

/** A hook call in this process, on a small disk. */
export function verdictOf(point: string, input: string | Uint8Array): Promise<Verdict> {
  return runPoint(point, typeof input === "string" ? new TextEncoder().encode(input) : input, ports);
}

export function isRuleCode(code: string): boolean {
  return (ruleCodes as readonly string[]).includes(code);
}
