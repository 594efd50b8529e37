import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../test/support/temporary-folder.ts";
import { childEnvironment } from "./child-environment.ts";
import { pathOf, scriptText, sourceFiles } from "./source-files.ts";

/** Trivial, so that only the other work is measured. */
export const check = "test -e package.json";

/** A repository with branches that can be landed one after the other. */
export interface LandingRepository extends TemporaryFolder {
  readonly repository: string;
  /** The next branch that was not landed yet. */
  nextBranch(): string;
}

/** All in one pack, as after a clone; each branch edits a file and adds one that imports another. */
export function landingRepository(files: number, branches: number): LandingRepository {
  const folder = temporaryFolder();
  const repository = join(folder.path, "main");
  const git = (words: readonly string[], input = "") =>
    execFileSync("git", ["-C", repository, ...words], { input, env: childEnvironment() });
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", repository]);
  git(["config", "user.name", "Bench"]);
  git(["config", "user.email", "bench@localhost"]);
  const config = `checks: { default: [${JSON.stringify(check)}] }\n`;
  const base = new Map([...sourceFiles(files), [".lockstep/config.yaml", config]]);
  const commits = [commitOf("main", base)];
  for (let number = 0; number < branches; number += 1) {
    const edited = pathOf(Math.floor((files * (number + 1)) / (branches + 1)));
    const added = new Map([
      [edited, `${base.get(edited)}\nexport const edited = ${number};\n`],
      [pathOf(files + number), scriptText(files + number, [Math.floor(files / 2) + number])],
    ]);
    commits.push(commitOf(branchName(number), added, "refs/heads/main"));
  }
  git(["fast-import", "--quiet"], commits.join(""));
  git(["reset", "--quiet", "--hard"]);
  let taken = 0;
  const nextBranch = () => {
    taken += 1;
    if (taken > branches) throw new Error(`only ${branches} branches were made`);
    return branchName(taken - 1);
  };
  return { ...folder, repository, nextBranch };
}

function branchName(number: number): string {
  return `work-${number}`;
}

/** A commit as `git fast-import` reads it. */
function commitOf(branch: string, files: ReadonlyMap<string, string>, from?: string): string {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const written = [...files].map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`);
  const start = from === undefined ? "" : `from ${from}\n`;
  const author = "committer Bench <bench@localhost> 1700000000 +0000\n";
  return `commit refs/heads/${branch}\n${author}${data(branch)}${start}${written.join("")}\n`;
}
