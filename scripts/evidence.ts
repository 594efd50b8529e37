import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { measureCheats } from "../test/cheats/measure.ts";
import { cheatTables } from "../test/cheats/tables.ts";
import { historyTables, type Opinions } from "./history-tables.ts";
import { replayHistory } from "./replay.ts";

const usage = `usage: npm run evidence -- cheats
       npm run evidence -- history --repos DIR [NAME…]
cheats   Runs the corpus of cheats and honest look-alikes (test/cheats) through plain CI and through Lockstep. Exit 1
         where the corpus is wrong: a case that plain CI refuses is not a case.
history  Replays the changes of real repositories: DIR has clones (owner+name), \`replay.json\` with what to replay,
         \`opinions.json\` with what a person says of the questions, and gets \`results.jsonl\`. A change that is in
         there is not replayed again. With a NAME only that repository is.
Both write their figures into docs/evidence.md.
`;

const page = new URL("../docs/evidence.md", import.meta.url);
const say = (line: string) => process.stderr.write(`${line}\n`);

const [what, ...words] = process.argv.slice(2);
if (what === "cheats" && words.length === 0) process.exitCode = await publishCheats();
else if (what === "history" && words[0] === "--repos" && words[1] !== undefined)
  await publishHistory(words[1], words.slice(2));
else {
  process.stderr.write(usage);
  process.exitCode = 2;
}

async function publishCheats(): Promise<number> {
  const { cases, unreal } = await measureCheats(say);
  if (unreal.length > 0) {
    process.stderr.write(`\nnot written: the corpus is wrong\n\n${unreal.join("\n\n")}\n`);
    return 1;
  }
  put("cheats", `${measuredAt("cheats")}\n\n${cheatTables(cases)}`);
  return 0;
}

async function publishHistory(folder: string, only: readonly string[]): Promise<void> {
  const replays = await replayHistory(folder, only, say);
  const told = join(folder, "opinions.json");
  const opinions = existsSync(told) ? (JSON.parse(readFileSync(told, "utf8")) as Opinions) : {};
  // Results are kept between runs, so this commit is not that of each of them.
  const stamp = measuredAt("history --repos DIR").replace("Measured", "Put together");
  put("history", `${stamp}\n\n${historyTables(replays, opinions)}`);
}

/** The commit of the measured tree. */
function measuredAt(words: string): string {
  const commit = execFileSync("git", ["describe", "--always", "--dirty", "--abbrev=12"], {
    encoding: "utf8",
  }).trim();
  const day = new Date().toISOString().slice(0, 10);
  return `Measured on ${day} at commit ${commit} with \`npm run evidence -- ${words}\`.`;
}

/** Replaces the text between the markers of this name; the rest of the page is written by hand. */
function put(name: string, text: string): void {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const before = readFileSync(page, "utf8");
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`docs/evidence.md lacks ${begin} … ${end}`);
  writeFileSync(page, `${before.slice(0, from + begin.length)}\n\n${text}\n\n${before.slice(to)}`);
}
