import { dirtyRepository } from "./dirty-repository.ts";
import { JudgedRepository } from "./judged-repository.ts";
import { makeCommand } from "./make-command.ts";
import { RandomChoice } from "./random-choice.ts";
import type { Executed } from "./tell-executed.ts";

export interface Wanted {
  readonly count: number;
  readonly seed: number;
  /** The place for the copies of the repository: not a temporary folder, where every write would be allowed. */
  readonly folder: string;
  /** The number of copies that work in parallel. */
  readonly lanes: number;
  done?(executed: Executed): void;
}

/** Makes commands, judges each, and runs those that can be judged. */
export async function executeCommands({
  count,
  seed,
  folder,
  lanes,
  done,
}: Wanted): Promise<readonly Executed[]> {
  const choice = new RandomChoice(seed);
  const commands = choice.times(count, () => makeCommand(choice));
  const all: Executed[] = [];
  let next = 0;
  const work = async () => {
    using repository = dirtyRepository(folder);
    const judged = new JudgedRepository(repository);
    for (let command = commands[next++]; command !== undefined; command = commands[next++]) {
      const executed = await judged.execute(command);
      all.push(executed);
      done?.(executed);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return all;
}
