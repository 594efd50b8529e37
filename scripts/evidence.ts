import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { measureCheats } from "../test/cheats/measure.ts";
import { cheatTables } from "../test/cheats/tables.ts";

const usage = `usage: npm run evidence -- cheats
Runs the corpus of cheats and honest look-alikes (test/cheats) through plain CI and through Lockstep, and writes the
figures into docs/evidence.md. Exit 1 where the corpus is wrong: a case that plain CI refuses is not a case.
`;

const page = new URL("../docs/evidence.md", import.meta.url);

const [what, ...others] = process.argv.slice(2);
if (what !== "cheats" || others.length > 0) {
  process.stderr.write(usage);
  process.exitCode = 2;
} else process.exitCode = await publishCheats();

async function publishCheats(): Promise<number> {
  const { cases, unreal } = await measureCheats((line) => process.stderr.write(`${line}\n`));
  if (unreal.length > 0) {
    process.stderr.write(`\nnot written: the corpus is wrong\n\n${unreal.join("\n\n")}\n`);
    return 1;
  }
  put("cheats", `${measuredAt()}\n\n${cheatTables(cases)}`);
  return 0;
}

/** The commit is that of the tree that was measured. */
function measuredAt(): string {
  const commit = execFileSync("git", ["describe", "--always", "--dirty", "--abbrev=12"], {
    encoding: "utf8",
  }).trim();
  const day = new Date().toISOString().slice(0, 10);
  return `Measured on ${day} at commit ${commit} with \`npm run evidence -- cheats\`.`;
}

/** Between the markers of that name; the rest of the page is written by hand. */
function put(name: string, text: string): void {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const before = readFileSync(page, "utf8");
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`docs/evidence.md lacks ${begin} … ${end}`);
  writeFileSync(page, `${before.slice(0, from + begin.length)}\n\n${text}\n\n${before.slice(to)}`);
}
