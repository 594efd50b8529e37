import { parseArgs } from "node:util";
import { type PlantName, plants } from "../test/simulation/plants.ts";
import { describeFailure, simulate, stepsDefault } from "../test/simulation/simulate.ts";
import { Statistics } from "../test/simulation/statistics.ts";

const usage = `usage: npm run sim -- [--seeds N] [--from N] [--seed N] [--steps N] [--plant NAME]
Lets orchestrators, agents and watchdogs loose on the real engine over one ledger in memory, with crashes, lost
answers and clocks that jump, and checks the invariants after every commit. Exit 1 with the seed that broke one.
planted bugs: ${Object.keys(plants).join(", ")}
`;

const { values: flags } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    /** Runs only this seed. */
    seed: { type: "string" },
    steps: { type: "string", default: String(stepsDefault) },
    plant: { type: "string", default: "none" },
    help: { type: "boolean", default: false },
  },
});

if (flags.help) process.stdout.write(usage);
else process.exitCode = await run();

async function run(): Promise<number> {
  const { plant } = flags;
  if (!Object.hasOwn(plants, plant)) {
    process.stderr.write(`\`${plant}\` is no planted bug: one of ${Object.keys(plants).join(", ")}\n`);
    return 2;
  }
  const options = { steps: Number(flags.steps), plant: plant as PlantName };
  const from = Number(flags.seed ?? flags.from);
  const until = flags.seed === undefined ? from + Number(flags.seeds) : from + 1;
  const all = new Statistics();
  const startedMs = performance.now();
  for (let seed = from; seed < until; seed += 1) {
    const outcome = await simulate(seed, options);
    all.add(outcome.statistics);
    if (outcome.failure !== undefined) {
      process.stderr.write("\n");
      console.log(describeFailure(outcome, options));
      return 1;
    }
    if (all.seeds % 50 === 0) process.stderr.write(`\rseed ${seed}, ${rates(all, startedMs)} `);
  }
  process.stderr.write("\n");
  console.log(`${all}\n${rates(all, startedMs)}`);
  return 0;
}

function rates({ seeds, steps }: Statistics, startedMs: number): string {
  const seconds = (performance.now() - startedMs) / 1000;
  return `${(seeds / seconds).toFixed(1)} seeds and ${Math.round(steps / seconds)} steps a second`;
}
