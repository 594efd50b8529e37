import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCheckout } from "../src/workspace/checkouts/open-checkout.ts";
import { removeCheckout } from "../src/workspace/checkouts/remove-checkout.ts";
import { atMost, type Options, type Row, type Section } from "./section.ts";
import { median, nowMs } from "./statistics.ts";

export const name = "checkouts";

const ratioMax = 0.1;
const filesInFolder = 10;

/**
 * Opening the checkout of an attempt: a new one and one that a finished task left, compared with `git worktree add`.
 */
export async function measure({ quick }: Options): Promise<readonly Section[]> {
  const files = quick ? 30_000 : 100_000;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-bench-")));
  const home = process.env.XDG_STATE_HOME;
  process.env.XDG_STATE_HOME = join(folder, "state");
  try {
    return [await measureIn(folder, files, quick ? 3 : 5)];
  } finally {
    if (home === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = home;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measureIn(folder: string, files: number, rounds: number): Promise<Section> {
  const root = join(folder, "main");
  const git = (...words: string[]) => execFileSync("git", words, { cwd: root, encoding: "utf8" }).trim();
  const person = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
  fill(root, files);
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git(...person, "commit", "-qm", "base");
  const times: Record<"worktree" | "fresh" | "pooled", number[]> = { worktree: [], fresh: [], pooled: [] };
  const timed = async <Result>(to: number[], act: () => Promise<Result> | Result): Promise<Result> => {
    const start = nowMs();
    const result = await act();
    to.push(nowMs() - start);
    return result;
  };
  const open = (task: string, isContained: boolean) => {
    const place = { commonFolder: join(root, ".git"), root, base: git("rev-parse", "HEAD"), include: [] };
    return openCheckout({ ...place, session: null, task, attempt: 1, isContained });
  };
  await removeCheckout((await open("first", true)).checkout);
  for (let round = 0; round < rounds; round += 1) {
    writeFileSync(join(root, "0/0/0.txt"), `round ${round}\n`);
    git(...person, "commit", "-qam", `round ${round}`);
    const side = join(folder, `side-${round}`);
    await timed(times.worktree, () => git("worktree", "add", "-q", "--detach", side));
    const { checkout: fresh } = await timed(times.fresh, () => open(`fresh-${round}`, false));
    const { checkout: pooled } = await timed(times.pooled, () => open(`pooled-${round}`, true));
    writeFileSync(join(pooled.folder, "0/0/1.txt"), "changed by the agent\n");
    await removeCheckout(pooled);
    await removeCheckout(fresh);
    git("worktree", "remove", "--force", side);
  }
  const plain = median(times.worktree);
  const row = (title: string, key: keyof typeof times, goal = false): Row => {
    const value = median(times[key]);
    const ratio = value / plain;
    return {
      name: title,
      values: { median: value, "÷ worktree": key === "worktree" ? undefined : ratio },
      ...(goal ? { goals: [atMost(ratio, ratioMax, "ratio")] } : {}),
    };
  };
  return {
    title: `Opening a checkout of ${files.toLocaleString("en")} files`,
    columns: [
      { key: "median", unit: "time" },
      { key: "÷ worktree", unit: "ratio" },
    ],
    rows: [
      row("git worktree add", "worktree"),
      row("a new checkout", "fresh"),
      row("one that a finished task left", "pooled", true),
    ],
  };
}

function fill(root: string, files: number): void {
  for (let at = 0; at < files; at += 1) {
    const number = Math.floor(at / filesInFolder);
    const folder = join(root, String(number % 100), String(Math.floor(number / 100)));
    if (at % filesInFolder === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${at % filesInFolder}.txt`), `file ${at}\n`.repeat(50));
  }
}
