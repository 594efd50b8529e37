import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { makeCheckout } from "../../workspace/checkouts/make-checkout.ts";
import { deleteFolder } from "../../workspace/checkouts/remove-checkout.ts";
import { takeSlot } from "../../workspace/git/proof-slot.ts";
import { checkoutsFolder } from "../../workspace/state-home.ts";
import type { Agent } from "./agents.ts";
import { openClientPlace } from "./client-place.ts";
import type { RunContext } from "./run-context.ts";
import type { WorkPlace } from "./work-place.ts";

export interface ReviewPlace extends WorkPlace, Disposable {}

export interface ReviewPlaceOptions {
  readonly task: string;
  readonly attempt: number;
  readonly base: string;
  readonly commit: string;
  readonly agent: Agent;
  /** Through which it reaches the ledger, where it works on a task of its own. */
  readonly socket?: string;
}

/** A checkout of somebody's work for somebody else to look at: nothing of it is kept. */
export async function openReviewPlace(
  context: RunContext,
  { task, attempt, base, commit, agent, socket }: ReviewPlaceOptions,
): Promise<ReviewPlace> {
  const { repository, config, sandbox, session, dependencies } = context;
  const { root, commonFolder } = repository;
  const { include, home } = config.workspace;
  const slot = takeSlot(join(realpathSync(checkoutsFolder(commonFolder)), "reviews"));
  const close = () => {
    for (const name of ["tree", "tmp", "making", "homes", "bin"]) deleteFolder(join(slot.folder, name));
    slot[Symbol.dispose]();
  };
  try {
    for (const name of ["tree", "tmp"]) deleteFolder(join(slot.folder, name));
    const name = { session, task, attempt };
    const plan = { commonFolder, slot: slot.folder, name, base, start: commit, root, include };
    const checkout = await makeCheckout(plan);
    const missing = await dependencies.install(base, checkout.folder);
    const place = openClientPlace({
      ...{ sandbox, client: agent.client, checkout, root, opened: home },
      readOnly: [join(checkout.folder, ".git")],
      ...(socket === undefined ? {} : { socket }),
    });
    return {
      ...place,
      checkout,
      notes: missing === undefined ? [] : [`its dependencies cannot be installed: ${missing}`],
      wrap: (command, env) =>
        place.wrap(agent.isClient ? command : command.map((word) => fromRoot(root, word)), env),
      [Symbol.dispose]: close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** A reviewer that is a program of the project is the project's, not the one that the work brings along. */
function fromRoot(root: string, word: string): string {
  if (isAbsolute(word) || !statSync(join(root, word), { throwIfNoEntry: false })?.isFile()) return word;
  return join(root, word);
}
