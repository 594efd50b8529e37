import { availableParallelism } from "node:os";
import { type Case, loadCorpus, missingIn, type Project } from "./corpus.ts";
import { faultBranch, type Grounds, type Judged, missingTools, openGrounds } from "./ground.ts";

/** The result of one case. */
export interface Measured {
  readonly project: Project;
  readonly one: Case;
  readonly lockstep: Judged["verdict"];
  /** Required texts that the message did not contain. */
  readonly untold: readonly string[];
}

export interface Measurement {
  readonly cases: readonly Measured[];
  /** A fault of the corpus itself: a cheat that any CI refuses is not a case. */
  readonly unreal: readonly string[];
}

/** Runs every case through plain CI and through Lockstep. */
export async function measureCheats(say: (line: string) => void): Promise<Measurement> {
  const corpus = loadCorpus();
  const missing = corpus.flatMap((project) => missingTools(project).map((one) => `${project.name}: ${one}`));
  if (missing.length > 0) throw new Error(`tool chains are missing, these fail: ${missing.join("; ")}`);
  await using grounds = openGrounds();
  const unreal = (
    await inParallel(corpus.flatMap(realities), (check) => findUnreal(grounds, check, say))
  ).flat();
  const cases = await inParallel(
    corpus.flatMap((project) => project.cases.map((one) => ({ project, one }))),
    async ({ project, one }) => {
      const { verdict, message } = await grounds.of(project, one).judge(one);
      say(`${project.name} ${one.name}: ${verdict}`);
      const untold = verdict === "merge" ? [] : missingIn(one, message);
      return { project, one, lockstep: verdict, untold };
    },
  );
  return { cases, unreal };
}

interface Reality {
  readonly project: Project;
  readonly branch: string;
  readonly green: boolean;
}

/** The base passes, the base's tests find each fault, and each case passes its own. */
function realities(project: Project): readonly Reality[] {
  return [
    { project, branch: "main", green: true },
    ...Object.keys(project.faults).map((name) => ({ project, branch: faultBranch(name), green: false })),
    ...project.cases.map(({ name }) => ({ project, branch: name, green: true })),
  ];
}

async function findUnreal(
  grounds: Grounds,
  { project, branch, green }: Reality,
  say: (line: string) => void,
) {
  const ran = await grounds.of(project).runPlainCi(branch);
  say(`${project.name} ${branch}: plain CI is ${ran.green ? "green" : "red"}`);
  if (ran.green === green) return [];
  return [`${project.name} ${branch} should be ${green ? "green" : "red"} in plain CI:\n${ran.output}`];
}

/** As many at once as there are processors; the results in the order of the items. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const at = next;
      next += 1;
      results[at] = await act(items[at] as Item);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results;
}
