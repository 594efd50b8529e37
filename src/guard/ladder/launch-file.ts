import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "../../core/text/quoted.ts";
import { replaceFile } from "../../workspace/files/replace-file.ts";
import { installFolder } from "../../workspace/process/install-folder.ts";
import { hookText } from "./hook-file.ts";
import type { ServerPlace } from "./start-server.ts";
import { isTriedNode } from "./tried-node.ts";
import { type Machine, readMachine } from "./ways-to-ask.ts";

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
 * Tells hooks, whose settings may be shared between machines, what to do on this one and where Lockstep is. Shells read
 * both files as a part of the hook line. Without them Lockstep counts as not installed. The machine is looked at anew
 * only where it is not given and the file is to be written.
 */
export function writeLaunch(place: Pick<ServerPlace, "folder" | "root">, machine?: Machine): void {
  if (machine !== undefined || !isHookCurrent(place.folder))
    write(hookFile(place.folder), hookText(machine ?? readMachine()));
  write(launchFile(place.folder), `${launchWords(place)} "$@"\n`);
}

/** As this Lockstep writes it, with `nc` or without. */
export function isHookCurrent(folder: string): boolean {
  const text = textOf(hookFile(folder));
  return [true, false].some((netcat) => text === hookText({ netcat }));
}

function write(file: string, text: string): void {
  if (textOf(file) === text) return;
  // Half a file could not say what it refuses.
  replaceFile(file, text, { durable: true });
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** Hook lines name it too. */
export function hookFile(folder: string): string {
  return join(folder, "hook");
}

/** The hook file names it too. */
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
