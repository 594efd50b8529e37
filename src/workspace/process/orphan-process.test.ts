import { expect, it } from "vitest";
import { orphanTop } from "./orphan-process.ts";
import type { SeenProcess } from "./process-ancestors.ts";

const systemd = { pid: 1, words: ["/sbin/init", "splash"] };
const lockstep = { words: ["node", "/usr/bin/lockstep", "release", "T-1"] };
const script = { words: ["/bin/sh", "job.sh"] };

function topOf(...parts: readonly Partial<SeenProcess>[]): readonly string[] | undefined {
  const lineage = parts.map((part, index) => ({
    ...{ pid: 100 - index, parent: 99 - index, words: [], environment: {}, folder: undefined },
    ...{ hasTerminal: false, startedMs: 0, ...part },
  }));
  return orphanTop(lineage)?.words;
}

it.each<[string, readonly Partial<SeenProcess>[], readonly string[]]>([
  ["itself", [lockstep, systemd], lockstep.words],
  ["the script that runs it", [lockstep, script, systemd], script.words],
  [
    "a process adopted by a user's own systemd",
    [lockstep, { words: ["setsid"] }, { words: ["/lib/systemd/systemd", "--user"] }, systemd],
    ["setsid"],
  ],
  [
    "a process adopted by the first process of a container",
    [lockstep, script, { pid: 1, words: ["/sbin/tini"] }],
    script.words,
  ],
])("finds the orphan: %s", (_name, lineage, words) => {
  expect(topOf(...lineage)).toEqual(words);
});

it.each<[string, readonly Partial<SeenProcess>[]]>([
  ["with a terminal", [{ ...lockstep, hasTerminal: true }, script, systemd]],
  ["if that cannot be determined", [{ ...lockstep, hasTerminal: undefined }, script, systemd]],
  ["below cron", [lockstep, script, { words: ["/usr/sbin/cron", "-f"] }, systemd]],
  [
    "below sshd",
    [
      lockstep,
      { words: ["bash", "-c"] },
      { words: ["sshd: u@notty"] },
      { words: ["/usr/sbin/sshd"] },
      systemd,
    ],
  ],
  ["below a runner of jobs", [lockstep, script, { words: ["/opt/Runner.Worker"] }, systemd]],
  ["below a program that orchestrates", [lockstep, { words: ["node", "serve.js"] }, systemd]],
  ["below the script that a container runs", [lockstep, { pid: 1, words: ["/bin/sh", "job.sh"] }]],
  ["below the program that a container runs", [lockstep, script, { pid: 1, words: ["node", "agent.js"] }]],
  ["entered from outside the container", [lockstep, script]],
])("finds no orphan %s", (_name, lineage) => {
  expect(topOf(...lineage)).toBeUndefined();
});
