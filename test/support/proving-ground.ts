import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CheckRun } from "../../src/core/proof/check-record.ts";
import { type Proven, Prover, type ProverOptions } from "../../src/proof/prover.ts";
import { gitOptions, newRepository } from "./new-repository.ts";

/** The parts of a machine by name, with their paths below a folder. */
export interface Layout {
  readonly where: string;
  readonly base: () => string;
  readonly main: string;
  readonly state: string;
}

const outsideTmp = () => {
  const folder = new URL("../../node_modules/.cache", import.meta.url).pathname;
  mkdirSync(folder, { recursive: true });
  return folder;
};

export const inTmp: Layout = { where: "in /tmp", base: tmpdir, main: "main", state: "state" };
export const atHome: Layout = {
  where: "at home",
  base: outsideTmp,
  main: "home/code/main",
  state: "home/.local/state",
};
/** The main repository is the nearest one above the checkouts. */
export const inMain: Layout = {
  where: "in the main checkout",
  base: tmpdir,
  main: "main",
  state: "main/state",
};

type Outcome = CheckRun & Omit<Proven, "run"> & { readonly error: string };
const nothing = { exit: null, seconds: 0, digest: "", tail: "", tree: "", reused: false, inventory: null };

interface CheckOptions extends Partial<ProverOptions> {
  readonly commit?: string;
}

/** A repository with one commit, a home with `counts` open to checks, and provers whose checkouts are in `state`. */
export interface ProvingGround extends Disposable {
  readonly options: ProverOptions;
  readonly env: Readonly<Record<string, string>>;
  /** The path of a part, `main`, `state` or `home`, or of a file in it. */
  place(name: string): string;
  write(name: string, text: string): string;
  read(name: string): string | undefined;
  git(...words: string[]): string;
  /** Commits all files; returns the commit's id. */
  commit(): string;
  /** With a separate prover. */
  check(command: string, options?: CheckOptions): Promise<Outcome>;
}

export function provingGround(
  files: Readonly<Record<string, string>> = { "a.txt": "committed\n" },
  layout: Layout = inTmp,
): ProvingGround {
  const folder = realpathSync(mkdtempSync(join(layout.base(), "lockstep-test-")));
  const place = (name: string) => {
    const [part = "", ...rest] = name.split("/");
    return join(folder, part === "main" || part === "state" ? layout[part] : part, ...rest);
  };
  const write = (name: string, text: string) => {
    mkdirSync(dirname(place(name)), { recursive: true });
    writeFileSync(place(name), text);
    return place(name);
  };
  for (const name of ["main", "home/counts"]) mkdirSync(place(name), { recursive: true });
  const env = { HOME: place("home"), XDG_STATE_HOME: place("state") };
  const before = { HOME: process.env.HOME, XDG_STATE_HOME: process.env.XDG_STATE_HOME };
  Object.assign(process.env, env);
  const git = (...words: string[]) =>
    execFileSync("git", [...gitOptions, ...words], {
      cwd: place("main"),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  const commit = () => {
    git("add", "-A", "--", ".", ":!state");
    git("commit", "-qm", "a");
    return git("rev-parse", "HEAD");
  };
  newRepository(place("main"));
  for (const [file, text] of Object.entries(files)) write(`main/${file}`, text);
  const first = commit();
  const options: ProverOptions = {
    root: place("main"),
    commonFolder: place("main/.git"),
    setup: null,
    include: [".env"],
    envPass: ["PATH", "HOME"],
    home: ["counts"],
  };
  return {
    options,
    env,
    place,
    write,
    git,
    commit,
    read: (name) => (existsSync(place(name)) ? readFileSync(place(name), "utf8") : undefined),
    check: async (command, { commit: asked = git("rev-parse", "main"), ...more } = {}) => {
      using prover = await Prover.open({ ...options, ...more });
      const proven = await prover.run(asked, command, { base: first, changed: ["a.txt"] });
      if ("error" in proven) return { ...nothing, error: proven.error };
      const { run, ...rest } = proven;
      return { ...rest, error: "", ...run };
    },
    [Symbol.dispose]: () => {
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
