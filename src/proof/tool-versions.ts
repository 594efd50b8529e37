import { realpathSync } from "node:fs";
import { runProcess } from "../workspace/process/run-process.ts";
import { programOnPath } from "../workspace/process/search-path.ts";

const askMsMax = 10_000;

/** Answers by file: a program that is replaced has another path, or this process does not live that long. */
const asked = new Map<string, Promise<string>>();

/** What the programs print for `--version`, so that machines can compare them. `missing` if there is no such program. */
export function toolVersions(
  names: readonly string[],
  path: string | undefined,
): Promise<readonly (readonly [name: string, version: string])[]> {
  return Promise.all(
    [...new Set(names)].sort().map(async (name) => {
      const file = programOnPath(name, path);
      if (file === undefined) return [name, "missing"] as const;
      const real = realpathSync.native(file);
      const answer = asked.get(real) ?? ask(file, path);
      asked.set(real, answer);
      return [name, await answer] as const;
    }),
  );
}

async function ask(file: string, path: string | undefined): Promise<string> {
  const env = path === undefined ? {} : { PATH: path };
  const { exit, tail } = await runProcess({
    ...{ command: [file, "--version"], cwd: "/", env, msMax: askMsMax },
  });
  return exit === 0 ? (tail.trim().split("\n")[0] ?? "") : `exit ${exit}`;
}

/** The program that a check starts, if its first word names one. */
export function programOf(command: string): readonly string[] {
  const [word] = /^[\w.+-]+(?=\s|$)/.exec(command.trim()) ?? [];
  return word === undefined ? [] : [word];
}
