export interface Machine {
  /** Its `nc` can talk to a unix socket and say that it has sent everything. */
  readonly netcat: boolean;
}

/** The first version of Claude Code in which a hook over HTTP that fails can block. */
const httpBlocks = [2, 1, 295];

/** Whether the client can call over HTTP and still be held; `version` is what it says of itself. */
export function canCallOverHttp(client: string, version: string | undefined): boolean {
  return client === "claude" && isAtLeast(version, httpBlocks);
}

function isAtLeast(version: string | undefined, wanted: readonly number[]): boolean {
  const found = /(\d+)\.(\d+)\.(\d+)/
    .exec(version ?? "")
    ?.slice(1)
    .map(Number);
  if (found === undefined) return false;
  for (const [index, least] of wanted.entries()) {
    const part = found[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/** What its usage says: other programs of that name have neither `-U` nor `-N`. */
export function readMachine(): Machine {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { stdout, stderr } = spawnSync("nc", ["-h"], { encoding: "utf8", timeout: 2000 });
  const [, letters = ""] = /usage: nc \[-(\w+)\]/i.exec(`${stdout}${stderr}`) ?? [];
  return { netcat: letters.includes("U") && letters.includes("N") };
}
