import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtCommand } from "./built-command.ts";
import { childEnvironment } from "./child-environment.ts";
import { check, type LandingRepository, landingRepository } from "./landing-repository.ts";
import { atMost, type Goal, type Options, type Row, type Section } from "./section.ts";
import { type Candidate, interleave, median, nowMs } from "./statistics.ts";

const sizes = { small: 100, large: 10_000 } as const;
const growthMax = 3;
const ratioMax = 2;
const plainLanding = fileURLToPath(new URL("./plain-landing.sh", import.meta.url));

/** `first`: the clone for the proof is created; `next`: it exists since the landing before. */
const moments = ["first", "next"] as const;
type Moment = (typeof moments)[number];
type Way = "land" | "plain";
type Size = (typeof sizes)[keyof typeof sizes];

export const name = "land";

/** The cost of landing a branch, compared with the same work by hand with git alone. */
export async function measure({ quick }: Options): Promise<readonly Section[]> {
  using stack = new DisposableStack();
  const lockstep = stack.use(builtCommand());
  const rounds = quick ? 2 : 7;
  const candidates: Record<string, Candidate> = {};
  for (const size of Object.values(sizes))
    for (const way of ["land", "plain"] as const) {
      const place = stack.use(landingRepository(size, moments.length * rounds + 1));
      const clones = new Clones(place.path);
      const run = () =>
        way === "land" ? land(place, clones.now, lockstep.path) : landPlainly(place, clones.now);
      run();
      for (const moment of moments)
        candidates[keyOf(size, moment, way)] = () => {
          if (moment === "first") clones.renew();
          return run();
        };
    }
  const samples = await interleave(candidates, rounds);
  const timeOf = (size: Size, moment: Moment, way: Way) => median(samples[keyOf(size, moment, way)] ?? []);
  const rows = moments.flatMap((moment) => rowsOf(moment, (size, way) => timeOf(size, moment, way)));
  const columns = [
    { key: "land", unit: "time" },
    { key: "by hand", unit: "time" },
    { key: "own", unit: "time" },
    { key: "÷ by hand", unit: "ratio" },
    { key: "own ÷ own at 100", unit: "ratio" },
  ] as const;
  return [{ title: "Landing a branch by size of the repository, median", columns, rows }];
}

function keyOf(size: Size, moment: Moment, way: Way): string {
  return `${way}, ${moment} at ${size}`;
}

function rowsOf(moment: Moment, timeOf: (size: Size, way: Way) => number): readonly Row[] {
  const ownAt = (size: Size) => timeOf(size, "land") - timeOf(size, "plain");
  return Object.values(sizes).map((size): Row => {
    const ratio = timeOf(size, "land") / timeOf(size, "plain");
    const growth = ownAt(size) / ownAt(sizes.small);
    const goals: readonly Goal[] =
      size === sizes.large ? [atMost(ratio, ratioMax, "ratio"), atMost(growth, growthMax, "ratio")] : [];
    return {
      name: `${moment} landing, ${size} files`,
      values: {
        land: timeOf(size, "land"),
        "by hand": timeOf(size, "plain"),
        own: ownAt(size),
        "÷ by hand": ratio,
        "own ÷ own at 100": growth,
      },
      goals,
    };
  });
}

/** The clones of both ways. None is removed during the measurement, because that keeps the disk busy for long. */
class Clones {
  readonly #folder: string;
  #made = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  renew(): void {
    this.#made += 1;
  }

  get now(): string {
    return join(this.#folder, `clones-${this.#made}`);
  }
}

function land({ repository, nextBranch }: LandingRepository, clones: string, lockstep: string): number {
  const env = { ...childEnvironment(), XDG_STATE_HOME: clones };
  return time([lockstep, "land", nextBranch()], { cwd: repository, env });
}

function landPlainly({ repository, nextBranch }: LandingRepository, clone: string): number {
  const words = [plainLanding, repository, clone, nextBranch(), check];
  return time(["sh", ...words], { cwd: repository, env: childEnvironment() });
}

function time(
  [program = "", ...args]: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): number {
  const start = nowMs();
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  const spent = nowMs() - start;
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  return spent;
}
