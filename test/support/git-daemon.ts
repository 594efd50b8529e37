import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Serves the bare repositories of a folder to machines on a network. */
export interface GitDaemon extends AsyncDisposable {
  readonly port: number;
}

export async function gitDaemon(folder: string): Promise<GitDaemon> {
  const port = await freePort();
  const words = [
    ...["daemon", "--reuseaddr", "--export-all", "--enable=receive-pack", "--listen=127.0.0.1"],
    ...[`--port=${port}`, `--base-path=${folder}`, folder],
  ];
  // `git` starts the daemon as a child; a common process group ends both.
  const child = spawn("git", words, { detached: true, stdio: "ignore" });
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`git daemon exits ${child.exitCode}`);
    await sleep(20);
  }
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, "close");
      process.kill(-(child.pid as number), "SIGKILL");
      await ended;
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false; // it does not listen yet
  } finally {
    socket.destroy();
  }
}

/** A free port, chosen by the system. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
