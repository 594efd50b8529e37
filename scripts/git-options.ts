/**
 * Writes the long options of this machine's git into the guard's table. Run it with the newest available git: `node
 * scripts/git-options.ts`.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { gitOptions } from "../src/core/shell/programs/git/option-table.ts";
import { listedGitOptions } from "./listed-git-options.ts";

const file = new URL("../src/core/shell/programs/git/option-table.ts", import.meta.url);
const version = execFileSync("git", ["version"], { encoding: "utf8" }).trim().split(" ").at(2) ?? "";
const rows = Object.keys(gitOptions)
  .toSorted()
  .map((command) => {
    const options = listedGitOptions(command);
    if (options === undefined) throw new Error(`this git does not list the options of \`git ${command}\``);
    return `  ${/\W/.test(command) ? JSON.stringify(command) : command}:\n    ${JSON.stringify(options.join(" "))},\n`;
  });

writeFileSync(
  file,
  `/**
 * Every long option of git's subcommands, as git ${version} lists them: \`name=\` takes a value, \`name!\` has no
 * \`--no-name\`. Written by scripts/git-options.ts.
 */
export const gitOptions = {
${rows.join("")}} as const;
`,
);
