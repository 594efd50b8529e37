import { statSync } from "node:fs";
import { isAbsolute, join, normalize } from "node:path";
import type { Config } from "../../contract/config.ts";
import { hasObject } from "../../workspace/git/object-reader.ts";

export interface AgentGround {
  readonly root: string;
  /** The commit that agents start from. */
  readonly baseCommit: string;
  readonly include: readonly string[];
}

/**
 * Files among the arguments of a command agent that exist here but not in the commit, so that its checkout lacks them.
 * The program itself runs from this folder.
 */
export async function uncommittedFiles(
  { adapter, run, args }: Pick<Config["agents"][string], "adapter" | "run" | "args">,
  { root, baseCommit, include }: AgentGround,
): Promise<readonly string[]> {
  if (adapter !== "command") return [];
  const [, ...words] = [...(run ?? []), ...args];
  const isIncluded = (path: string) => include.some((one) => `${path}/`.startsWith(join(one, "/")));
  const found: string[] = [];
  for (const word of words) {
    const path = normalize(word);
    const isHere = !isAbsolute(word) && !path.startsWith("..") && isFile(join(root, path));
    if (!isHere || isIncluded(path)) continue;
    if (!(await hasObject(root, `${baseCommit}:./${path}`))) found.push(path);
  }
  return found;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

export function uncommittedText(files: readonly string[]): string {
  const are = files.length === 1 ? "is" : "are";
  const them = files.length === 1 ? "it" : "them";
  return `\`${files.join("`, `")}\` ${are} not committed, and agents see only what is committed: commit ${them}, or list ${them} in \`workspace.include\``;
}
