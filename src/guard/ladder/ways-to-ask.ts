export interface Machine {
  /** Its `nc` can talk to a unix socket and say that it has sent everything. */
  readonly netcat: boolean;
}

type Version = readonly [number, number, number];

/** The first version of Claude Code in which a hook over HTTP that fails can block. */
export const httpBlocks: Version = [2, 1, 295];

/** Whether the client can call over HTTP and still be held. */
export function canCallOverHttp(client: string, version: Version): boolean {
  return client === "claude" && isAtLeast(version, httpBlocks);
}

/** What a program says of itself; undefined where it says no version. */
export function versionIn(text: string): Version | undefined {
  const found = /(\d+)\.(\d+)\.(\d+)/.exec(text);
  return found === null ? undefined : [Number(found[1]), Number(found[2]), Number(found[3])];
}

function isAtLeast(version: Version, wanted: Version): boolean {
  const at = version.findIndex((part, index) => part !== wanted[index]);
  return at < 0 || (version[at] ?? 0) > (wanted[at] ?? 0);
}

/** What its usage says: other programs of that name have neither `-U` nor `-N`. */
export function readMachine(): Machine {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { stdout, stderr } = spawnSync("nc", ["-h"], { encoding: "utf8", timeout: 2000 });
  const [, letters = ""] = /usage: nc \[-(\w+)\]/i.exec(`${stdout}${stderr}`) ?? [];
  return { netcat: letters.includes("U") && letters.includes("N") };
}
