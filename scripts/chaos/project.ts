import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The tasks that also count a shared number up, so that a lost or doubled merge changes the sum. */
const isCounted = (number: number) => number % 15 === 0;

/** The first attempt of these tasks breaks the project's check. */
const isCareless = (number: number) => number % 20 === 3;

/** Longer than an agent takes to start on a busy computer, shorter than the longest fault. */
const leaseSeconds = 60;

export const idOf = (number: number) => `T${String(number).padStart(3, "0")}`;

/** The project's check. It fails for broken work, and for a sum that does not fit the work that is there. */
const check = `#!/bin/sh
for file in work/*.txt; do
  [ "$file" = 'work/*.txt' ] || grep -q good "$file" || { echo "$file is broken"; exit 1; }
done
counted=$(cat work/*.txt 2>/dev/null | grep -c counted)
[ "$(cat shared/sum.txt)" -eq "$counted" ] || { echo "the sum is not $counted"; exit 1; }
`;

const agent = `#!/bin/sh
set -eu
packet=$(cat)
id=$LOCKSTEP_TASK_ID
echo "working on $id"
# It says something now and then, because a silent agent loses its lease.
while left=$((CHAOS_DUE - $(date +%s))); [ "$left" -gt 0 ]; do
  echo "$left seconds left"
  sleep $((left < 10 ? left : 10))
done
sleep "$CHAOS_PAUSE"
word=good
case $packet in *'"fix_delta":null'*) [ "$CHAOS_CARELESS" = no ] || word=broken;; esac
mkdir -p work
echo "$word" > "work/$id.txt"
# The same result when it continues from work that an earlier attempt left.
[ "$CHAOS_COUNTED" = no ] || echo counted >> "work/$id.txt"
[ "$CHAOS_COUNTED" = no ] || cat work/*.txt | grep -c counted > shared/sum.txt
`;

interface Timing {
  /** The agent is not done before this time of the clock. */
  readonly dueMs: number;
  /** How long it works then. */
  readonly seconds: number;
}

/** An agent for each task: the same program with other settings. */
function agentLine(number: number, { dueMs, seconds }: Timing): string {
  const env = [
    `LOCKSTEP_TASK_ID: ${idOf(number)}`,
    `CHAOS_DUE: "${Math.round(dueMs / 1000)}"`,
    `CHAOS_PAUSE: "${seconds.toFixed(1)}"`,
    `CHAOS_CARELESS: "${isCareless(number) ? "yes" : "no"}"`,
    `CHAOS_COUNTED: "${isCounted(number) ? "yes" : "no"}"`,
  ];
  return `  a${number}: { adapter: command, run: [sh, agents/work.sh], env: { ${env.join(", ")} } }\n`;
}

function taskLine(number: number): string {
  const id = idOf(number);
  const scope = isCounted(number) ? `[work/${id}.txt, shared/sum.txt]` : `[work/${id}.txt]`;
  const needs = number % 5 === 4 ? `, depends_on: [${idOf(number - 1)}]` : "";
  return `  - { id: ${id}, goal: write work/${id}.txt, agent: a${number}, lock_scope: ${scope}, timeout_seconds: ${leaseSeconds}, acceptance_checks: ["cmd: test -s work/${id}.txt"]${needs} }\n`;
}

export interface PlanSize {
  readonly tasks: number;
  /** The agents finish over this time, so that the plan lasts as long as the faults, however many are killed. */
  readonly minutes: number;
}

/** A repository with a plan of small tasks, on `main`. */
export function writeProject(path: string, { tasks, minutes }: PlanSize, random: () => number): void {
  const numbers = Array.from({ length: tasks }, (_, at) => at + 1);
  const startMs = Date.now();
  const timingOf = (number: number): Timing => ({
    dueMs: startMs + ((number - random()) / tasks) * minutes * 60_000,
    seconds: 0.2 + 3 * random(),
  });
  const files = {
    ".gitignore": ".agents-work\n",
    "check.sh": check,
    "shared/sum.txt": "0\n",
    "agents/work.sh": agent,
    "tasks.yaml": `project: { name: chaos }\ntasks:\n${numbers.map(taskLine).join("")}`,
    ".lockstep/config.yaml": [
      "remote: origin\nintegrate: push\n",
      'checks: { default: ["sh check.sh"] }\n',
      "limits: { max_parallel: 8, max_active: 32 }\n",
      `agents:\n${numbers.map((number) => agentLine(number, timingOf(number))).join("")}`,
    ].join(""),
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  }
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=chaos", "-c", "user.email=chaos@localhost", ...words], {
      cwd: path,
    });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "base");
}
