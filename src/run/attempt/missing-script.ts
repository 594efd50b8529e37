import { existsSync } from "node:fs";
import { basename, extname, isAbsolute, join, normalize } from "node:path";
import type { Config } from "../../contract/config.ts";
import { hasObject } from "../../workspace/git/object-reader.ts";
import { tryGit } from "../../workspace/git/run-git.ts";
import { type AgentGround, uncommittedFiles, uncommittedText } from "./uncommitted-files.ts";

type CommandAgent = Pick<Config["agents"][string], "adapter" | "run" | "args">;

/** Why the files of a command agent cannot be used: its script does not exist, or files are not committed. */
export async function whyFilesLack(agent: CommandAgent, ground: AgentGround): Promise<string | undefined> {
  const missing = await missingScript(agent, ground);
  if (missing !== undefined) return `\`${missing}\` does not exist: create and commit it`;
  const lacking = await uncommittedFiles(agent, ground);
  return lacking.length === 0 ? undefined : uncommittedText(lacking);
}

/** The script that an interpreter is to run, if there is none, here or in the commit. The setup may write ignored files. */
export async function missingScript(
  { adapter, run, args }: CommandAgent,
  { root, baseCommit }: AgentGround,
): Promise<string | undefined> {
  if (adapter !== "command") return undefined;
  const path = scriptOf([...(run ?? []), ...args]);
  if (path === undefined || existsSync(join(root, path))) return undefined;
  if (await hasObject(root, `${baseCommit}:./${path}`)) return undefined;
  const { exit } = await tryGit(root, ["check-ignore", "-q", "--", path]);
  return exit === 0 ? undefined : path;
}

const interpreters = /^(?:sh|bash|dash|zsh|ksh|node|python[\d.]*|ruby|perl)$/;
/** Options that have no value, so that the script may follow. After any other option, nothing is known. */
const plainOption = /^(?:-u|--no-[\w-]+|--experimental-strip-types|--[\w-]+=.*)$/;
const plainPath = /^[\w@+.-][\w@+./-]*$/;

/** Undefined unless the word is surely a path: relative, with a folder or an extension. */
function scriptOf([program = "", ...words]: readonly string[]): string | undefined {
  const name = basename(program);
  if (!interpreters.test(name)) return undefined;
  const word = words.find((one) => !plainOption.test(one));
  if (word === undefined || word.startsWith("-") || isAbsolute(word) || !plainPath.test(word))
    return undefined;
  const path = normalize(word);
  const hasExtension = extname(path) !== "";
  // node adds an extension by itself.
  const isPath = hasExtension || (path.includes("/") && name !== "node");
  return isPath && !path.startsWith("..") ? path : undefined;
}
