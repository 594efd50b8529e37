import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "../../core/points/quoted.ts";
import { installFolder } from "../../workspace/install-folder.ts";
import type { ServerPlace } from "./start-server.ts";
import { isTriedNode } from "./tried-node.ts";

/**
 * Hashing all of Node's own names anew takes a seventh of its start. It guards tables against crafted keys, in
 * processes that stay; this one hands on what it reads.
 */
const clientFlags = isTriedNode() ? ["--no-rehash-snapshot"] : [];

/** Words for a shell that start the Node client of this installation; the client's name is to follow. */
function launchWords({ folder, root }: Pick<ServerPlace, "folder" | "root">): string {
  const install = installFolder();
  const [client, program] = ["dist/guard-client.cjs", "bin/lockstep.cjs"].map((file) => join(install, file));
  return [process.execPath, ...clientFlags, client ?? "", folder, root, program ?? ""]
    .map(shellWord)
    .join(" ");
}

/**
 * Tells hooks, whose settings may be shared between machines, where Lockstep is on this one. A shell reads it as a part
 * of the hook command. Without it Lockstep counts as not installed.
 */
export function writeLaunch(place: Pick<ServerPlace, "folder" | "root">): void {
  const file = launchFile(place.folder);
  const text = `${launchWords(place)} "$@"\n`;
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  writeFileSync(`${file}.${process.pid}`, text, { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
}

/** Hook commands name it too. */
export function launchFile(folder: string): string {
  return join(folder, "launch");
}

/** Node, the client and the command that a launch file names. */
export function launchedPrograms(text: string): readonly string[] {
  const words = text.match(/'(?:[^']|'\\'')*'|[^\s']+/g) ?? [];
  const [node, client, , , program] = words
    .map((word) => word.replace(/^'|'$/g, "").replaceAll("'\\''", "'"))
    .filter((word) => !word.startsWith("--"));
  return [node, client, program].filter((word) => word !== undefined);
}
