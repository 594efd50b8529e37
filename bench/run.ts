import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { renderSection, renderSummary } from "./render.ts";
import type { Options, Section, Subject } from "./section.ts";

const usage = `usage: npm run bench -- [--quick] [--json] [--only SUBJECT]…
Measures the figures that Lockstep promises, prints them and writes bench/results.json.
`;

/** Each is loaded in a process of its own: a heap with a million locks must not slow down the others. */
const subjects: Readonly<Record<string, () => Promise<Subject>>> = {
  "hook-process": () => import("./hook-process.ts"),
  "guard-call": () => import("./guard-call.ts"),
  "point-calls": () => import("./point-calls.ts"),
  "shell-analysis": () => import("./shell-analysis.ts"),
  sandbox: () => import("./sandbox.ts"),
  "secret-scan": () => import("./secret-scan.ts"),
  "lock-index": () => import("./lock-index.ts"),
  ledger: () => import("./ledger.ts"),
  machines: () => import("./machines.ts"),
  checkouts: () => import("./checkouts.ts"),
  land: () => import("./land.ts"),
  do: () => import("./do-start.ts"),
  integration: () => import("./integration.ts"),
  orchestration: () => import("./orchestration.ts"),
};

/** Building a million locks makes much garbage; a larger nursery only shortens that. */
const nodeFlags: Readonly<Record<string, readonly string[]>> = {
  "lock-index": ["--expose-gc", "--max-semi-space-size=64"],
};

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    help: { type: "boolean", default: false },
    /** Internal: measures one subject in this process and prints its sections. */
    subject: { type: "string" },
  },
});

if (flags.help) process.stdout.write(usage);
else if (flags.subject !== undefined) await measureHere(flags.subject, flags);
else process.exitCode = measureAll();

async function measureHere(name: string, options: Options): Promise<void> {
  const load = subjects[name];
  if (load === undefined)
    throw new Error(`\`${name}\` is no subject: one of ${Object.keys(subjects).join(", ")}`);
  const sections = await (await load()).measure(options);
  process.stdout.write(JSON.stringify(sections));
}

function measureAll(): number {
  const names = flags.only.length > 0 ? flags.only : Object.keys(subjects);
  const sections: Record<string, readonly Section[]> = {};
  const failed: string[] = [];
  for (const name of names) {
    if (!flags.json) process.stderr.write(`measuring ${name} …\n`);
    const measured = measureApart(name);
    if (measured === undefined) failed.push(name);
    else sections[name] = measured;
  }
  const report = { at: new Date().toISOString(), quick: flags.quick, machine: machine(), sections, failed };
  writeFileSync(new URL("./results.json", import.meta.url), `${JSON.stringify(report, null, 2)}\n`);
  const all = Object.values(sections).flat();
  const text = () =>
    [renderMachine(report.machine), ...all.map(renderSection), renderSummary(all)].join("\n");
  process.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : text());
  if (failed.length > 0) process.stderr.write(`could not measure: ${failed.join(", ")}\n`);
  return failed.length > 0 ? 1 : 0;
}

function measureApart(name: string): readonly Section[] | undefined {
  const args = [...(nodeFlags[name] ?? []), fileURLToPath(import.meta.url), "--subject", name];
  const { status, stdout } = spawnSync(process.execPath, flags.quick ? [...args, "--quick"] : args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 1024 * 1024,
  });
  return status === 0 ? (JSON.parse(stdout) as readonly Section[]) : undefined;
}

function renderMachine({ node, platform, processor, cores, load }: ReturnType<typeof machine>): string {
  return `\nNode ${node} on ${platform}, ${cores} × ${processor}, load ${load.toFixed(1)}\n`;
}

function machine() {
  const [processor] = cpus();
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    processor: processor?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryBytes: totalmem(),
    load: loadavg()[0] ?? 0,
  };
}
