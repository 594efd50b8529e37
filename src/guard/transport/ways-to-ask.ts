export interface Machine {
  /** True if `nc` supports unix sockets and can close its sending side. */
  readonly netcat: boolean;
}

type Version = readonly [number, number, number];

/** The first version of Claude Code in which a failing HTTP hook can block. */
export const httpBlocks: Version = [2, 1, 295];

/** Whether the client can call over HTTP and is still blocked if the call fails. */
export function canCallOverHttp(client: string, version: Version): boolean {
  return client === "claude" && isAtLeast(version, httpBlocks);
}

/** The version in a program's output; undefined if there is none. */
export function versionIn(text: string): Version | undefined {
  const found = /(\d+)\.(\d+)\.(\d+)/.exec(text);
  return found === null ? undefined : [Number(found[1]), Number(found[2]), Number(found[3])];
}

function isAtLeast(version: Version, wanted: Version): boolean {
  const at = version.findIndex((part, index) => part !== wanted[index]);
  return at < 0 || (version[at] ?? 0) > (wanted[at] ?? 0);
}

let read: Machine | undefined;

/** Probes the machine once per process. */
export function readMachine(): Machine {
  read ??= probe();
  return read;
}

/** Reads the usage text, because other programs called `nc` lack `-U` or `-N`. */
function probe(): Machine {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { stdout, stderr } = spawnSync("nc", ["-h"], { encoding: "utf8", timeout: 2000 });
  const [, letters = ""] = /usage: nc \[-(\w+)\]/i.exec(`${stdout}${stderr}`) ?? [];
  return { netcat: letters.includes("U") && letters.includes("N") };
}
