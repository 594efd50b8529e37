import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A proxy in front of a local server that can interrupt connections like a network. */
export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** The next request with this text reaches the server, but its answer is lost. */
  cutAnswerTo(text: string): void;
  /** Closes all connections and refuses new ones, until `join`. */
  cut(): void;
  /** Keeps all connections and accepts new ones, but forwards nothing, until `join`. */
  stall(): void;
  join(): void;
  readonly cuts: number;
  /** The number of refused connections. */
  readonly refused: number;
}

/** `host`: the address to listen on, for machines with a network of their own. */
export async function cuttingProxy(target: number, host = "127.0.0.1"): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  let wanted: string | undefined;
  let state: "joined" | "cut" | "stalled" = "joined";
  let cuts = 0;
  let refused = 0;
  const server = createServer((client) => {
    if (state === "cut") {
      refused += 1;
      client.destroy();
      return;
    }
    const upstream = connect(target, "127.0.0.1");
    let isDeaf = false;
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => open.delete(socket));
    }
    client.on("data", (bytes) => {
      upstream.write(bytes);
      if (wanted === undefined || !bytes.includes(wanted)) return;
      wanted = undefined;
      isDeaf = true;
    });
    upstream.on("data", (bytes) => {
      if (!isDeaf) {
        client.write(bytes);
        return;
      }
      // The server has answered, so it has committed.
      cuts += 1;
      client.destroy();
      upstream.destroy();
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    if (state === "stalled") for (const socket of [client, upstream]) socket.pause();
  });
  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const endAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port,
    cutAnswerTo: (text) => {
      wanted = text;
    },
    cut: () => {
      state = "cut";
      endAll();
    },
    stall: () => {
      state = "stalled";
      for (const socket of open) socket.pause();
    },
    join: () => {
      state = "joined";
      for (const socket of open) socket.resume();
    },
    get cuts() {
      return cuts;
    },
    get refused() {
      return refused;
    },
    [Symbol.asyncDispose]: async () => {
      endAll();
      server.close();
      await once(server, "close");
    },
  };
}
