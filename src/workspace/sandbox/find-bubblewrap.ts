import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runProcess } from "../process/run-process.ts";
import { programOnPath } from "../process/search-path.ts";
import { bubblewrap } from "./bubblewrap.ts";
import type { Sandbox } from "./sandbox.ts";

const probeMsMax = 10_000;

interface Machine {
  readonly platform: NodeJS.Platform;
  readonly path: string;
}

type Found = { readonly sandbox: Sandbox; readonly program: string } | { readonly missing: string };

const proven = new Map<string, Promise<Found>>();

/** A sandbox that was tested on this machine, once per process; or why there is none. */
export async function findBubblewrap({ platform, path }: Machine): Promise<Found> {
  if (platform !== "linux") return { missing: notLinux(platform) };
  const program = programOnPath("bwrap", path);
  if (program === undefined)
    return { missing: "the program `bwrap` is not on PATH: install the package `bubblewrap`" };
  const known = proven.get(program) ?? prove(program);
  proven.set(program, known);
  const found = await known;
  if ("missing" in found) proven.delete(program); // the user may fix it before the next call
  return found;
}

function notLinux(platform: NodeJS.Platform): string {
  const name = platform === "darwin" ? "macOS" : platform === "win32" ? "Windows" : platform;
  return `lockstep's sandbox is bubblewrap, which runs on Linux only: on ${name} agent processes are not isolated; the guard before a write and the comparison after it still apply`;
}

/** Builds a real sandbox and tries to write inside and outside of it. */
async function prove(program: string): Promise<Found> {
  // Not in a folder of TMPDIR: that may lie in `/dev`, which is made anew inside.
  const folder = mkdtempSync("/tmp/lockstep-probe-");
  const place = (name: string) => join(folder, name);
  try {
    for (const name of ["inside", "outside", "home", "temporary"]) mkdirSync(place(name));
    const sandbox = bubblewrap(program);
    const script = 'echo > "$1/written"; echo > "$2/written"; echo > "$3/written"; test -e "$1/written"';
    const places = ["inside", "outside", "home"].map(place);
    const policy = {
      writable: [place("inside")],
      readOnly: [place("outside")],
      hidden: [],
      home: { path: place("home"), shown: [], writable: [] },
      placed: [],
      temporary: place("temporary"),
      network: true,
    };
    const wrapped = sandbox.wrap(["/bin/sh", "-c", script, "sh", ...places], policy, {
      cwd: folder,
      env: {},
    });
    const { exit, tail } = await runProcess({ ...wrapped, cwd: folder, msMax: probeMsMax });
    const escaped = ["outside", "home"].filter((name) => existsSync(join(place(name), "written")));
    if (escaped.length > 0)
      return { missing: `\`${program}\` does not isolate: a write outside the sandbox succeeded` };
    if (exit === 0 && existsSync(join(place("inside"), "written"))) return { sandbox, program };
    return { missing: `\`${program}\` cannot build a sandbox here: ${causeOf(tail)}` };
  } catch (error) {
    return { missing: `the sandbox could not be tried: ${(error as Error).message}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const switches: readonly (readonly [file: string, off: string, cause: string])[] = [
  [
    "/proc/sys/user/max_user_namespaces",
    "0",
    "user namespaces are off; `sysctl -w user.max_user_namespaces=15000` turns them on",
  ],
  [
    "/proc/sys/kernel/unprivileged_userns_clone",
    "0",
    "user namespaces are off for ordinary users; `sysctl -w kernel.unprivileged_userns_clone=1` turns them on",
  ],
  [
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "1",
    "AppArmor keeps user namespaces from ordinary programs; give `bwrap` a profile with `userns,`",
  ],
];

/** The error message of `bwrap`, preceded by its known cause on this machine. */
function causeOf(tail: string): string {
  const said = tail.split("\n").find((line) => line.startsWith("bwrap:")) ?? tail.trim().split("\n")[0] ?? "";
  if (!/namespace|not permitted|permission denied|no space left|uid map/i.test(said))
    return said || "it printed no error message";
  const off = process.getuid?.() === 0 ? undefined : switches.find(([file, value]) => read(file) === value);
  const cause = off?.[2] ?? "namespaces are refused, as in a container without `--cap-add SYS_ADMIN`";
  return `${cause} (${said})`;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}
