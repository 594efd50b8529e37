import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { listCheckouts } from "../../workspace/checkouts/list-checkouts.ts";
import { diskUse } from "../../workspace/checkouts/walk-tree.ts";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import { localTime } from "../../workspace/process/local-time.ts";
import { checkoutsFolder } from "../../workspace/state/state-home.ts";
import { table } from "../output/table.ts";

interface DiskReading {
  readonly folder: string | null;
  readonly bytes: number;
  readonly checkouts: readonly {
    readonly name: string;
    readonly task: string | null;
    readonly bytes: number;
    readonly last_use: string;
  }[];
}

/** The checkouts of this project: those of agents and those that checks run in, and the caches. */
export function readDisk(): DiskReading {
  const { commonFolder } = findProject(currentFolder());
  if (commonFolder === undefined) return { folder: null, bytes: 0, checkouts: [] };
  const folder = checkoutsFolder(commonFolder);
  const agents = listCheckouts(commonFolder).map(({ name, checkout, bytes, lastUse }) => {
    const task = checkout === undefined ? null : [checkout.session, checkout.task].filter(Boolean).join("/");
    return { name, task, bytes, last_use: lastUse.toISOString() };
  });
  const proof = join(folder, "proof");
  const slots = existsSync(proof) ? readdirSync(proof) : [];
  const checks = slots.map((name) => {
    const slot = join(proof, name);
    return {
      name: `proof/${name}`,
      task: null,
      bytes: diskUse(slot),
      last_use: statSync(slot).mtime.toISOString(),
    };
  });
  const caches = join(folder, "caches");
  const kept = existsSync(caches)
    ? [{ name: "caches", task: null, bytes: diskUse(caches), last_use: statSync(caches).mtime.toISOString() }]
    : [];
  const checkouts = [...agents, ...checks, ...kept];
  return { folder, bytes: checkouts.reduce((sum, { bytes }) => sum + bytes, 0), checkouts };
}

export function diskText({ folder, bytes, checkouts }: DiskReading): string {
  if (checkouts.length === 0) return "no checkouts\n";
  const rows = checkouts.map(({ name, task, bytes: size, last_use }) => [
    name,
    task ?? "-",
    megabytes(size),
    localTime(last_use).slice(0, -":00".length),
  ]);
  return `${table(["CHECKOUT", "TASK", "SIZE", "LAST USED"], rows)}\n${megabytes(bytes)} in ${folder}; \`lockstep clean\` frees what nothing needs any more\n`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
