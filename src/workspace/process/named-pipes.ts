import { execFile } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Making them takes a process, however many they are; each that is spare keeps two files open. */
const madeAtOnce = 8;

export interface NamedPipe {
  readonly readable: number;
  readonly writable: number;
}

const spare: NamedPipe[] = [];
let making: Promise<void> | undefined;

/**
 * Node's own pipes are sockets: they cannot be opened again as /dev/stderr, which scripts do, and two of them lose
 * the order of what is written to both. A named pipe, unlinked at once, has neither fault. Whoever takes it closes it.
 */
export async function takePipe(): Promise<NamedPipe> {
  for (;;) {
    const pipe = spare.pop();
    if (pipe !== undefined) return pipe;
    making ??= makePipes().finally(() => {
      making = undefined;
    });
    await making;
  }
}

async function makePipes(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-run-"));
  try {
    const names = Array.from({ length: madeAtOnce }, (_, at) => join(folder, String(at)));
    await promisify(execFile)("mkfifo", ["-m", "600", ...names]);
    for (const name of names) spare.push(openPipe(name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The reading end first: a writing end does not open without one. */
function openPipe(name: string): NamedPipe {
  const readable = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { readable, writable: openSync(name, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readable);
    throw error;
  }
}
