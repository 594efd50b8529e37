import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { skipLoudly } from "./skip-loudly.ts";

/** A network namespace for one machine, connected to this one by a single link. */
export interface MachineNetwork extends Disposable {
  /** The address of this machine at the other end of the link. */
  readonly host: string;
  /** The prefix of a command that runs in it. */
  readonly through: readonly string[];
  /** Drops all packets in both directions, without an error. */
  cut(): void;
  join(): void;
}

const ip = (...words: string[]) => void execFileSync("ip", words, { stdio: ["ignore", "ignore", "pipe"] });

const isRoot = process.getuid?.() === 0;
const hasProgram = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].some((path) => existsSync(path));
const missing = isRoot ? "`ip` of iproute2 is not installed" : "it takes root to make a network";

export const noNetworks =
  !(isRoot && hasProgram) &&
  skipLoudly("THE TESTS OF MACHINES WITH A NETWORK OF THEIR OWN", missing, { isWanted: isRoot });

/**
 * Small subnets of 198.18.0.0/15, which no real network uses; chosen by process id, so that test files do not collide.
 */
let made = 0;

export function machineNetwork(): MachineNetwork {
  made += 1;
  const name = `ls${process.pid}n${made}`;
  const at = ((process.pid * 8 + made) % 16_384) * 4;
  const address = (last: number) => `198.18.${Math.floor(at / 256)}.${(at % 256) + last}`;
  const [here, there] = [`${name}h`, `${name}m`];
  ip("netns", "add", name);
  ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", name);
  ip("address", "add", `${address(1)}/30`, "dev", here);
  ip("link", "set", here, "up");
  ip("-n", name, "address", "add", `${address(2)}/30`, "dev", there);
  for (const device of ["lo", there]) ip("-n", name, "link", "set", device, "up");
  return {
    host: address(1),
    through: ["ip", "netns", "exec", name],
    // Only the other end: the address here stays, so that servers keep listening on it.
    cut: () => ip("-n", name, "link", "set", there, "down"),
    join: () => ip("-n", name, "link", "set", there, "up"),
    [Symbol.dispose]: () => ip("netns", "delete", name),
  };
}
