import { execFile } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** One process creates any number of pipes. Each spare pipe keeps two file descriptors open. */
const madeAtOnce = 8;

export interface NamedPipe {
  readonly readable: number;
  readonly writable: number;
}

const spare: NamedPipe[] = [];
let making: Promise<void> | undefined;

/**
 * A named pipe that is already unlinked. Node's own pipes are sockets: a script cannot open them as /dev/stderr, and the
 * order of output on two of them is lost. A named pipe has neither problem. The caller closes it.
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

/** The read end is opened first, because opening the write end blocks without it. */
function openPipe(name: string): NamedPipe {
  const readable = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { readable, writable: openSync(name, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readable);
    throw error;
  }
}
