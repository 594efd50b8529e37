import { guardEndpoint } from "../../guard/answer/open-endpoint.ts";
import { HostRunning } from "../../server/host.ts";
import { isRunAlive } from "../../server/is-run-alive.ts";
import { serve } from "../../server/serve.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";
import { readPort } from "../board/board.ts";
import { BoardHost } from "../board/board-host.ts";
import { openEngine } from "../open/open-engine.ts";
import { writeAll } from "../output/descriptor.ts";

/** `lockstep serve`: the hook server. If one is already running, this command succeeds without starting another. */
export async function serveCommand({ port }: { readonly port?: string }): Promise<number> {
  const wanted = port === undefined ? {} : { port: readPort(port) };
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop.abort());
  using opened = await openEngine({ create: true });
  await using board = new BoardHost();
  const { engine, project, config } = opened;
  const folder = openStateFolder(project);
  try {
    await serve({
      engine,
      folder,
      guard: guardEndpoint({ ...opened, isRunAlive: () => isRunAlive(folder) }),
      idleMs: config.guard.idle_minutes * 60_000,
      ...wanted,
      board,
      stop: stop.signal,
      onListening: ({ socket, port: found }) => {
        const http =
          found === undefined ? "without HTTP because its port is taken" : `http://127.0.0.1:${found}`;
        writeAll(2, `lockstep: listening at ${socket}, ${http}\n`);
      },
      onLag: (ms) => writeAll(2, `lockstep: ${new Date().toISOString()} did not answer for ${ms} ms\n`),
    });
    return 0;
  } catch (error) {
    if (!(error instanceof HostRunning)) throw error;
    writeAll(2, `lockstep: already running pid ${error.host?.pid ?? "unknown"}\n`);
    return 0;
  }
}
