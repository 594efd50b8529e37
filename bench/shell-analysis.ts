import { readEntries, Scope } from "../src/core/paths/scope.ts";
import { analyzeCommand } from "../src/core/shell/analyze.ts";
import { judgeCommand } from "../src/core/shell/judge-command.ts";
import { nodeDisk } from "../src/workspace/files/disk.ts";
import { freshProcess } from "./fresh-process.ts";
import { atMost, type Options, type Row, type Section } from "./section.ts";
import { shellCommands } from "./shell-commands.ts";
import { median, nowMs, quantile } from "./statistics.ts";

const p99MsMax = 0.15;
const slowestShown = 3;
const context = { cwd: "/repo", root: "/repo" };
const place = { root: "/repo" };

export const name = "shell-analysis";

export async function measure(options: Options): Promise<readonly Section[]> {
  const commands = shellCommands();
  const rounds = options.quick ? 8 : 100;
  const analysed = timeAll(commands, (command) => analyzeCommand(command, context), rounds);
  const judged = timeAll(commands, judge, rounds);
  return [
    {
      title: `Shell analysis of ${commands.length} commands, each ${rounds} times`,
      columns: (["p50", "p99", "max"] as const).map((key) => ({ key, unit: "time" })),
      rows: [
        spread("analyse, every single call", [...analysed.values()].flat(), true),
        spread("analyse, median of each command", [...analysed.values()].map(median), true),
        spread("analyse and judge, every single call", [...judged.values()].flat(), false),
      ],
    },
    slowest(analysed),
    await firstCalls(options),
  ];
}

const limits = {
  place,
  disk: nodeDisk(),
  lock: scope("src/a", "tests/**"),
  others: scope("src/b"),
  forbidden: scope(),
  scratch: ["/tmp"],
};

function judge(command: string): void {
  judgeCommand(analyzeCommand(command, context), limits);
}

function scope(...texts: string[]): Scope {
  const read = readEntries(texts, place);
  if ("error" in read) throw new Error(read.error);
  return new Scope(read.entries, place);
}

/** The commands take turns, so that none benefits from branch prediction. */
function timeAll(commands: readonly string[], call: (command: string) => void, rounds: number) {
  const times = new Map(commands.map((command) => [command, [] as number[]]));
  for (let round = -Math.ceil(rounds / 4); round < rounds; round += 1)
    for (const [command, own] of times) {
      const start = nowMs();
      call(command);
      const spent = nowMs() - start;
      if (round >= 0) own.push(spent);
    }
  return times;
}

function spread(name: string, times: readonly number[], judged: boolean): Row {
  const p99 = quantile(times, 0.99);
  return {
    name,
    values: { p50: median(times), p99, max: quantile(times, 1) },
    goals: judged ? [atMost(p99, p99MsMax, "time")] : [],
  };
}

function slowest(times: ReadonlyMap<string, readonly number[]>): Section {
  const rows = [...times]
    .map(([command, own]) => ({ command, median: median(own) }))
    .sort((a, b) => b.median - a.median)
    .slice(0, slowestShown)
    .map(({ command, median }): Row => ({ name: shorten(command), values: { median } }));
  return { title: "Slowest commands", columns: [{ key: "median", unit: "time" }], rows };
}

function shorten(command: string): string {
  const line = command.replace(/\s+/g, " ");
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}

async function firstCalls({ quick }: Options): Promise<Section> {
  using process = await freshProcess({
    module: "core/shell/analyze.ts",
    call: `module.analyzeCommand(input, ${JSON.stringify(context)})`,
    input: 'cd src && for f in *.ts; do sed -i "s/a/b/" "$f"; done',
  });
  const samples = Array.from({ length: quick ? 3 : 15 }, () => process.time());
  const values = {
    load: median(samples.map(({ loadMs }) => loadMs)),
    call: median(samples.map(({ callMs }) => callMs)),
  };
  return {
    title: "First analysis in a fresh process",
    columns: [
      { key: "load", unit: "time" },
      { key: "call", unit: "time" },
    ],
    rows: [{ name: "a loop over sed -i", values }],
  };
}
