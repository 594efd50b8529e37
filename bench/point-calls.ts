import type { PointName } from "../src/core/points/points.ts";
import type { Ports } from "../src/core/points/ports.ts";
import { findSecrets } from "../src/core/secrets/find-secrets.ts";
import { payloadBytesMax, runPoint } from "../src/hooks/run-point.ts";
import { nodeDisk } from "../src/workspace/files/disk.ts";
import { findProject } from "../src/workspace/files/find-project.ts";
import { saveSnapshot } from "../src/workspace/state/save-snapshot.ts";
import { dispatchWith, ordinaryCalls } from "./ordinary-payloads.ts";
import { scratchProject } from "./scratch-project.ts";
import { atMost, type Options, type Row, type Section } from "./section.ts";
import { interleave, median, timeOne } from "./statistics.ts";

const sizes = [1000, 4000, 15_000] as const;
const sizeLabels = ["1k", "4k", "15k"] as const;
/** Linear, with room for the misses of a larger table in the caches. */
const slackMax = 1.3;

export const name = "point-calls";

export async function measure(options: Options): Promise<readonly Section[]> {
  using project = scratchProject();
  const before = process.cwd();
  process.chdir(project.path);
  try {
    return [await ordinary(project.path, options), await linearity(project.path, options)];
  } finally {
    process.chdir(before);
  }
}

/** Calls like those of the hook command; each call has its own snapshot. */
function portsFor(root: string, session: string): Ports {
  const project = findProject(root);
  return {
    place: project.place,
    disk: nodeDisk(),
    findSecrets,
    saveSnapshot: (_session, snapshot) => saveSnapshot(project, { session, snapshot, at: new Date() }),
  };
}

let calls = 0;

async function callPoint(point: PointName, bytes: Uint8Array, root: string): Promise<void> {
  calls += 1;
  const verdict = await runPoint(point, bytes, portsFor(root, `bench-${calls}`));
  if (!verdict.allow) throw new Error(`${point} denied an ordinary call: ${verdict.code} ${verdict.reason}`);
}

async function ordinary(root: string, { quick }: Options): Promise<Section> {
  const candidates = ordinaryCalls.map(({ name, point, payload }) => {
    const bytes = Buffer.from(JSON.stringify(payload));
    return [name, () => timeOne(() => callPoint(point, bytes, root), quick ? 4 : 20)] as const;
  });
  await interleave(Object.fromEntries(candidates), 3); // warm-up
  const samples = await interleave(Object.fromEntries(candidates), quick ? 6 : 50);
  const rows = ordinaryCalls.map(({ name }): Row => {
    return { name, values: { median: median(samples[name] ?? []) } };
  });
  return { title: "runPoint in a warm process", columns: [{ key: "median", unit: "time" }], rows };
}

/** Payloads that consist mostly of their tables: short paths keep 15,000 locks below 1 MiB. */
const growing: Readonly<Record<string, { point: PointName; payload(size: number): unknown }>> = {
  "PreDispatch, active locks": { point: "PreDispatch", payload: (size) => dispatchWith(locksOf(size)) },
  "OnLockUpdate, locks": { point: "OnLockUpdate", payload: locksOf },
  "OnLockUpdate, all in one folder": {
    point: "OnLockUpdate",
    payload: (size) => tableOf(size, (at) => `lib/${at}.ts`),
  },
  // A task takes twice the bytes of a lock, and the payload is limited.
  "WatchdogTick, half as many tasks": {
    point: "WatchdogTick",
    payload: (size) => ({ now: "2026-02-14T20:00:00Z", tasks: tasksOf(size / 2) }),
  },
};

async function linearity(root: string, { quick }: Options): Promise<Section> {
  const rows: Row[] = [];
  for (const [name, { point, payload }] of Object.entries(growing)) {
    const candidates = sizes.map((size, at) => {
      const bytes = Buffer.from(JSON.stringify(payload(size)));
      if (bytes.length > payloadBytesMax) throw new Error(`${name}: ${size} make ${bytes.length} bytes`);
      return [sizeLabels[at], () => timeOne(() => callPoint(point, bytes, root), 1)] as const;
    });
    await interleave(Object.fromEntries(candidates), 5); // warm-up
    const samples = await interleave(Object.fromEntries(candidates), quick ? 5 : 40);
    // The fastest: a long call on a busy machine is interrupted more frequently than a short one.
    const values = Object.fromEntries(
      sizeLabels.map((label) => [label, Math.min(...(samples[label] ?? []))]),
    );
    const growth = (values["15k"] ?? Number.NaN) / (values["1k"] ?? Number.NaN);
    const slack = growth / (sizes[2] / sizes[0]);
    rows.push({
      name,
      values: { ...values, "15k ÷ 1k": growth, "÷ size ratio": slack },
      goals: [atMost(slack, slackMax, "ratio")],
    });
  }
  const columns = [
    ...sizeLabels.map((key) => ({ key, unit: "time" as const })),
    { key: "15k ÷ 1k", unit: "ratio" },
    { key: "÷ size ratio", unit: "ratio" },
  ] as const;
  return { title: "runPoint by length of the table, fastest of all rounds", columns, rows };
}

function locksOf(size: number): readonly unknown[] {
  return tableOf(size, (at) => `lib/${at % 97}/${at % 11}/${at}.ts`);
}

function tableOf(size: number, path: (at: number) => string): readonly unknown[] {
  return Array.from({ length: size }, (_, at) => ({
    task_id: `T-${at % 500}`,
    resource: path(at),
    active: true,
  }));
}

function tasksOf(size: number): readonly unknown[] {
  return Array.from({ length: size }, (_, at) => ({
    task_id: `T-${at}`,
    status: "in_progress",
    timeout_seconds: 900,
    last_heartbeat_at: "2026-02-14T19:55:00Z",
  }));
}
