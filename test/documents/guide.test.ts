import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { startProgram } from "../support/run-command.ts";
import { missing as noSandbox } from "../support/sandboxed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const guide = readFileSync(join(root, "docs/guide.md"), "utf8");
const hasTerminal = process.platform === "linux" && existsSync("/usr/bin/script");

interface Command {
  readonly text: string;
  /** Null if the guide shows no output. */
  readonly shown: readonly string[] | null;
}

/** All commands that a reader types, in order; the demo has a test of its own. */
const commands: readonly Command[] = [...guide.matchAll(/^```(sh|console)\n([\s\S]*?)^```$/gm)].flatMap(
  ([, kind, block = ""]): Command[] =>
    kind === "sh"
      ? [{ text: block, shown: null }]
      : block.split(/^\$ /m).flatMap((part) => {
          const [text = "", ...shown] = part.trimEnd().split("\n");
          return text === "" ? [] : [{ text, shown }];
        }),
);

describe.skipIf(!hasTerminal || noSandbox !== undefined)("the guide", () => {
  it("shows the output of its commands, one after the other", { timeout: 300_000 }, async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, "bin"));
    symlinkSync(join(root, "bin/lockstep.cjs"), join(folder.path, "bin/lockstep"));
    expect(commands.length).toBeGreaterThan(10);
    for (const { text, shown } of commands) {
      const printed = await typed(folder.path, text, shown ?? []);
      if (shown !== null) expect(missingFrom(printed, shown), `${text}\n${printed}`).toEqual([]);
    }
  });
});

const prompted = /^(UD-[\w-]+> )(.+)$/;

/** Types a command and the answers in the guide, and returns the output. */
async function typed(home: string, text: string, shown: readonly string[]): Promise<string> {
  const answers = shown.flatMap((line) => {
    const [, prompt, answer] = prompted.exec(line) ?? [];
    return prompt === undefined ? [] : [{ prompt, answer }];
  });
  const env = {
    ...{ HOME: home, XDG_STATE_HOME: join(home, "state"), LOCKSTEP: root, CI: "", NO_COLOR: "1" },
    ...{ GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "a@localhost" },
    ...{ GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "a@localhost" },
    PATH: [join(home, "bin"), join(process.execPath, ".."), process.env.PATH].join(delimiter),
  };
  const shop = join(home, "shop");
  const words =
    answers.length === 0
      ? ["sh", "-c", `exec 2>&1\n${text}`]
      : ["script", "-qec", `stty cols 80; ${text}`, "/dev/null"];
  const cwd = existsSync(shop) ? shop : home;
  using running = startProgram(words, { cwd, env, input: answers.length === 0 ? "" : "later" });
  let output = "";
  running.process.stdout?.on("data", (chunk: Buffer) => {
    output += chunk;
    const [next] = answers;
    if (next === undefined || !output.includes(next.prompt)) return;
    answers.shift();
    running.process.stdin?.write(`${next.answer}\n`);
  });
  const { stdout } = await running.ended;
  return stdout;
}

/** Lines of the guide that were not printed, in their order; `…` stands for omitted text. */
function missingFrom(printed: string, shown: readonly string[]): readonly string[] {
  const left = printed.split(/\r?\n/).map(plain);
  return shown.filter((line) => {
    // A prompt is drawn again at each key; the typed text shows in the output that follows.
    if (line === "…" || line === "" || prompted.test(line)) return false;
    const [begin = "", ...rest] = plain(line).split("…");
    const at = left.findIndex((one) => (rest.length === 0 ? one === begin : one.startsWith(begin)));
    // Parallel tasks report in any order.
    const isEvent = begin.startsWith("TIME ");
    if (at !== -1) left.splice(isEvent ? at : 0, isEvent ? 1 : at + 1);
    return at === -1;
  });
}

/** Without the parts that differ each time: days, times, durations and commits. */
function plain(line: string): string {
  return line
    .replaceAll(/\d{4}-\d\d-\d\d/g, "DAY")
    .replaceAll(/\d\d:\d\d:\d\d/g, "TIME")
    .replaceAll(/\b\d+s\b/g, "Ns")
    .replaceAll(/\b[0-9a-f]{12}\b/g, "COMMIT")
    .replaceAll(/ +/g, " ")
    .trimEnd();
}
