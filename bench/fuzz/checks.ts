import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { readEntries, Scope } from "../../src/core/paths/scope.ts";
import { ruleCodes } from "../../src/core/rules/catalog.ts";
import { findSecrets } from "../../src/core/secrets/find-secrets.ts";
import { maskDocument } from "../../src/core/secrets/mask-document.ts";
import { analyzeCommand } from "../../src/core/shell/analyze.ts";
import { judgeCommand } from "../../src/core/shell/judge-command.ts";
import { runPoint } from "../../src/hooks/run-point.ts";
import { nodeDisk } from "../../src/workspace/files/disk.ts";
import { childEnvironment } from "../child-environment.ts";
import type { HookInput } from "./hook-inputs.ts";

const analysisMsMax = 250;
const hookMsMax = 1000;
const slowestKept = 5;
const saidMax = 600;

/** The place of the checks: a throw-away project, and a copy of the built command. */
export interface FuzzPlace {
  readonly root: string;
  readonly command: string;
}

export interface Slow {
  readonly ms: number;
  readonly input: string;
}

/** Observations besides findings. */
export interface Seen {
  slowest: readonly Slow[];
  /** Refusals after an exception inside the analysis: safe, but worth a look. */
  readonly swallowed: Set<string>;
}

export interface Checks<Input> {
  check(input: Input): unknown;
  inProcess(input: Input): void;
}

export function hookChecks({ root, command }: FuzzPlace, seen: Seen): Checks<HookInput> {
  const saveSnapshot = async (_session: string | undefined, snapshot: object) => {
    await maskDocument(snapshot);
    return { path: "/snapshots/1.json" };
  };
  return {
    async check({ point, bytes }) {
      const ports = { place: { root }, disk: nodeDisk(), findSecrets, saveSnapshot };
      const start = performance.now();
      const verdict = await runPoint(point, bytes, ports);
      const ms = performance.now() - start;
      const known = verdict.allow ? verdict.code === "OK" : ruleCodes.includes(verdict.code);
      if (!known || !/^[^\n\r]{1,500}$/.test(verdict.reason))
        throw new Error(`no verdict: ${JSON.stringify(verdict)}`);
      if (verdict.code === "E-INTERNAL") throw new Error(verdict.reason);
      keepSlowest(seen, { ms, input: `${point} ${new TextDecoder().decode(bytes.subarray(0, 9000))}` });
      if (ms > hookMsMax) throw new Error(`${point} takes more than ${hookMsMax} ms`);
    },
    inProcess: ({ point, bytes }) => runCommand({ root, command }, ["hook", point], bytes),
  };
}

export function shellChecks({ root, command }: FuzzPlace, seen: Seen): Checks<string> {
  const context = { cwd: root, root, home: "/home/user", tmp: tmpdir(), disk: nodeDisk() };
  const place = { root, home: "/home/user" };
  const limits = {
    place,
    lock: scopeOf("src/a/**"),
    others: scopeOf("src/b/**"),
    forbidden: scopeOf(),
    scratch: [tmpdir()],
  };
  const timed = (input: string) => {
    const start = performance.now();
    const analysis = analyzeCommand(input, context);
    judgeCommand(analysis, { ...limits, disk: nodeDisk() });
    const ms = performance.now() - start;
    if (analysis.refusals.some(({ why }) => why.endsWith("the analysis failed on it")))
      seen.swallowed.add(input);
    return ms;
  };
  return {
    check(input) {
      const first = timed(input);
      // Repeated before it counts: a busy machine or a garbage collection must not look like a finding.
      const ms = first > analysisMsMax && first < analysisMsMax * 8 ? Math.min(first, timed(input)) : first;
      keepSlowest(seen, { ms, input });
      if (ms > analysisMsMax) throw new Error(`the analysis takes more than ${analysisMsMax} ms`);
    },
    // An argument of a command line cannot contain a NUL or half a surrogate pair.
    inProcess(input) {
      const word = input.replaceAll("\0", " ").toWellFormed();
      runCommand({ root, command }, ["explain", "--scope=src/a", "--", word], new Uint8Array());
    },
  };

  function scopeOf(...texts: readonly string[]): Scope {
    const read = readEntries(texts, place);
    if ("error" in read) throw new Error(read.error);
    return new Scope(read.entries, place);
  }
}

function keepSlowest(seen: Seen, one: Slow): void {
  if (seen.slowest.length === slowestKept && one.ms <= (seen.slowest.at(-1)?.ms ?? 0)) return;
  seen.slowest = [...seen.slowest, one].sort((a, b) => b.ms - a.ms).slice(0, slowestKept);
}

/** The real process: exit 0 or 2; a hook has an answer on stdout and never denies silently. */
function runCommand({ root, command }: FuzzPlace, args: readonly string[], input: Uint8Array): void {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: root,
    env: childEnvironment(),
    input,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const said = (stdout + stderr).slice(0, saidMax);
  if (status !== 0 && status !== 2) throw new Error(`the process ended with ${signal ?? status}: ${said}`);
  if (args[0] !== "hook") return;
  const { allow } = JSON.parse(stdout) as { allow: unknown };
  if (allow !== (status === 0) || (status === 2 && stderr === ""))
    throw new Error(`the process ended with ${status} and said: ${said}`);
}
