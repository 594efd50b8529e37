import { createServer } from "node:net";

const portsPerSlot = 20;
const firstPort = 20_000;
const portMax = 60_000;

export interface Slot extends Disposable {
  readonly number: number;
  readonly portBase: number;
}

/** Gives each running agent its own number and a range of free ports. */
export class Slots {
  readonly #taken = new Set<number>();
  readonly #portBases = new Map<number, number>();
  #nextPort = firstPort;

  async take(): Promise<Slot> {
    let number = 0;
    while (this.#taken.has(number)) number += 1;
    this.#taken.add(number);
    const portBase = this.#portBases.get(number) ?? (await this.#findPorts());
    this.#portBases.set(number, portBase);
    return { number, portBase, [Symbol.dispose]: () => void this.#taken.delete(number) };
  }

  async #findPorts(): Promise<number> {
    while (this.#nextPort + portsPerSlot <= portMax) {
      const base = this.#nextPort;
      this.#nextPort += portsPerSlot;
      const ports = Array.from({ length: portsPerSlot }, (_, at) => base + at);
      if ((await Promise.all(ports.map(isFree))).every(Boolean)) return base;
    }
    throw new Error(`no ${portsPerSlot} free ports in a row are left below ${portMax}`);
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}
