import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtCommand } from "./built-command.ts";
import { childEnvironment } from "./child-environment.ts";
import { ordinaryCalls } from "./ordinary-payloads.ts";
import { scratchProject } from "./scratch-project.ts";
import { atMost, type Options, type Row, type Section } from "./section.ts";
import { interleave, median, nowMs, quantile } from "./statistics.ts";

const ratioMax = 1.5;
const baselineName = "baseline: a plain Node script";
const baseline = fileURLToPath(new URL("./baseline-hook.mjs", import.meta.url));

interface Measured {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly input: string;
  readonly judged: boolean;
}

export const name = "hook-process";

/** The cost of one call for its caller, including the start of the process. */
export async function measure({ quick }: Options): Promise<readonly Section[]> {
  using project = scratchProject();
  using lockstep = builtCommand();
  const all = processesFor(project.path, lockstep.path);
  const env = childEnvironment();
  const run = (measured: Measured) => timeProcess(measured, { cwd: project.path, env });
  for (const measured of all) run(measured);
  const samples = await interleave(
    Object.fromEntries(all.map((measured) => [measured.name, () => run(measured)])),
    quick ? 5 : 50,
  );
  const base = median(samples[baselineName] ?? []);
  const rows = all.map(({ name, judged }): Row => {
    const times = samples[name] ?? [];
    const ratio = median(times) / base;
    return {
      name,
      values: { median: median(times), p10: quantile(times, 0.1), p90: quantile(times, 0.9), ratio },
      goals: judged ? [atMost(ratio, ratioMax, "ratio")] : [],
    };
  });
  const columns = [
    { key: "median", unit: "time" },
    { key: "p10", unit: "time" },
    { key: "p90", unit: "time" },
    { key: "ratio", unit: "ratio" },
  ] as const;
  return [{ title: "Process cost of one hook call, interleaved", columns, rows }];
}

function processesFor(root: string, lockstep: string): readonly Measured[] {
  const node = process.execPath;
  const write = ordinaryCalls.find((call) => call.point === "PreWrite");
  const orientation = { input: "", judged: false };
  return [
    { name: "sh -c :", program: "sh", args: ["-c", ":"], ...orientation },
    { name: "node -e 0", program: node, args: ["-e", "0"], ...orientation },
    {
      name: baselineName,
      program: node,
      args: [baseline, join(root, ".git/baseline-state.json"), join(root, ".git/baseline-audit.jsonl")],
      input: JSON.stringify(write?.payload),
      judged: false,
    },
    ...ordinaryCalls.map(({ name, point, payload }) => ({
      name: `lockstep hook ${name}`,
      program: node,
      args: [lockstep, "hook", point],
      input: JSON.stringify(payload),
      judged: true,
    })),
  ];
}

function timeProcess(measured: Measured, { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): number {
  const start = nowMs();
  const { status, stdout, stderr, error } = spawnSync(measured.program, measured.args, {
    cwd,
    env: { ...env, PWD: cwd },
    input: measured.input,
  });
  const spent = nowMs() - start;
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${measured.name} ended with ${status}: ${stdout}${stderr}`);
  return spent;
}
