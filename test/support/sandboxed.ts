import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ProcessResult, type ProcessRun, runProcess } from "../../src/workspace/process/run-process.ts";
import { bubblewrap } from "../../src/workspace/sandbox/bubblewrap.ts";
import type { SandboxPolicy } from "../../src/workspace/sandbox/sandbox.ts";
import { skipLoudly } from "./skip-loudly.ts";

const nobody = 65534;
const asNobody = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];

/** The parts of a machine by name, with their paths below a folder. */
type Layout = Readonly<Record<"main" | "checkout" | "neighbour" | "temporary", string>>;

const inHome: Layout = {
  main: "home/code/main",
  checkout: "home/.local/state/lockstep/main/1/checkout",
  neighbour: "home/.local/state/lockstep/main/2",
  temporary: "home/.local/state/lockstep/main/1/temporary",
};
const apart: Layout = { main: "main", checkout: "checkout", neighbour: "neighbour", temporary: "temporary" };

/** The reason why no sandbox can be built here, determined without our own code. */
export const missing = ((): string | undefined => {
  const program = "bwrap"; // at its path on PATH, as the product finds it
  const words = ["--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"];
  const { status, stderr, error } = spawnSync(program, words, { encoding: "utf8" });
  return status === 0 ? undefined : (error?.message ?? stderr);
})();
skipLoudly("THE TESTS OF THE SANDBOX", missing);

export interface Setting {
  readonly user: string;
  /** The prefix of the sandbox's own command. */
  readonly through: readonly string[];
  readonly where: string;
  readonly layout: Layout;
  readonly base: () => string;
}

const outsideTmp = () => {
  const folder = new URL("../../node_modules/.cache", import.meta.url).pathname;
  mkdirSync(folder, { recursive: true });
  return folder;
};
const atHome = { where: "at home", layout: inHome, base: outsideTmp };
const inTmp = { where: "in /tmp", layout: apart, base: tmpdir };
const ordinary = "an ordinary user";

/** Who starts the sandbox, and where: root needs no user namespace, all other users do. */
export const settings: readonly Setting[] =
  process.getuid?.() === 0
    ? [
        { user: "root", through: [], ...atHome },
        { user: ordinary, through: asNobody, ...atHome },
        { user: ordinary, through: asNobody, ...inTmp },
      ]
    : [atHome, inTmp].map((place) => ({ user: ordinary, through: [], ...place }));

export interface SandboxedPlace extends Disposable {
  readonly policy: SandboxPolicy;
  /** The path of a part, or of a file in it; `home` is one. */
  place(name: string): string;
  /** Writes a file that belongs to the user who starts the sandbox. */
  write(name: string, text: string): void;
  /** Makes that user the owner of everything. */
  handOver(): void;
  /** The sandbox's command line, to be started by hand. */
  wrapped(
    command: readonly string[],
    more?: Partial<SandboxPolicy>,
  ): { command: string[]; env: Record<string, string> };
  run(script: string, more?: Partial<SandboxPolicy>, options?: Partial<ProcessRun>): Promise<ProcessResult>;
}

/**
 * A main repository with a ledger, an attempt's checkout of it, another checkout, a home; and a policy for the first
 * checkout.
 */
export function sandboxed({ through, layout, base }: Setting): SandboxedPlace {
  const folder = realpathSync(mkdtempSync(join(base(), "lockstep-test-")));
  const place = (name: string) => {
    const [part = "", ...rest] = name.split("/");
    return join(folder, layout[part as keyof Layout] ?? part, ...rest);
  };
  const handOver = () => {
    if (through.length > 0) execFileSync("chown", ["-R", `${nobody}:${nobody}`, folder]);
  };
  const put = (name: string, text: string) => {
    mkdirSync(dirname(place(name)), { recursive: true });
    writeFileSync(place(name), text);
  };
  for (const [name, text] of Object.entries(files)) put(name, text);
  mkdirSync(place("temporary"), { recursive: true });
  makeCheckout(place);
  handOver();
  const policy: SandboxPolicy = {
    writable: [place("checkout")],
    // A checkout of Lockstep in /tmp has its Node there, which the sandbox's own /tmp would hide.
    readOnly: [place("main"), ...ownNode()],
    hidden: [place("main/.git/lockstep"), place("neighbour")],
    home: { path: place("home"), shown: [place("home/.tool")], writable: [place("home/.client")] },
    placed: [],
    temporary: place("temporary"),
    network: false,
  };
  const env = { PATH: process.env.PATH ?? "", HOME: place("home") };
  const wrapped: SandboxedPlace["wrapped"] = (command, more = {}) => {
    const options = { cwd: place("checkout"), env };
    const inside = bubblewrap("/usr/bin/bwrap").wrap(command, { ...policy, ...more }, options);
    return { command: [...through, ...inside.command], env: inside.env };
  };
  return {
    policy,
    place,
    handOver,
    wrapped,
    write: (name, text) => {
      put(name, text);
      handOver();
    },
    run: (script, more, options = {}) =>
      runProcess({ ...wrapped(["sh", "-c", script], more), cwd: "/", msMax: 30_000, ...options }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function ownNode(): readonly string[] {
  const folder = dirname(realpathSync(process.execPath));
  return folder.startsWith(`${realpathSync("/tmp")}/`) ? [folder] : [];
}

const files = {
  "main/a.txt": "a\n",
  "main/src/price.ts": "export const price: number = 1;\n",
  "main/.gitignore": "dist/\n",
  "home/.ssh/id": "secret-of-home\n",
  "home/.tool/settings": "shown\n",
  "home/.client/state": "state\n",
  "neighbour/a.txt": "secret-of-neighbour\n",
};

function makeCheckout(place: (name: string) => string): void {
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...words], {
      cwd: place("main"),
    });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "a");
  git("clone", "-q", "--shared", place("main"), place("checkout"));
  mkdirSync(place("main/.git/lockstep"));
  writeFileSync(place("main/.git/lockstep/state.db"), "secret-of-ledger\n");
}
