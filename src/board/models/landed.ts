import type { Landed, LandedItem } from "../../contract/board.ts";
import { proofWords } from "../../view/task-words.ts";
import { readRepository } from "../../workspace/git/repository-state.ts";
import { tryGit } from "../../workspace/git/run-git.ts";
import { cut, fitting, short } from "./bounded.ts";
import type { BoardPlace, Look } from "./look.ts";

const itemsMax = 50;

/** The merges on the base branch, newest first; `before` leads to the older ones. */
export async function landed(place: BoardPlace, look: Look, before: number | undefined): Promise<Landed> {
  const range = before === undefined ? {} : { before };
  const events = await place.engine.ledger.events({
    type: "task.merged",
    newestFirst: true,
    limit: itemsMax,
    ...range,
  });
  const commits = await readCommits(
    place,
    events.flatMap(({ task }) => look.byKey.get(task ?? "")?.commit ?? []),
  );
  const items = events.flatMap(({ seq, at, task: key }): LandedItem[] => {
    const task = look.byKey.get(key ?? "");
    if (task === undefined) return [];
    const commit = commits.get(task.commit ?? "");
    return [
      {
        ...{ seq, at, task: task.key, name: look.names.of(task.key), title: short(task.title) },
        ...{
          commit: task.commit,
          parent: commit?.parent ?? null,
          batch: task.batch,
          revertedBy: task.reverted_by,
        },
        proof: short(proofWords(task), 300),
        checks: task.evidence.length,
        committer: short(commit?.committer ?? "unknown", 60),
        isSigned: commit?.isSigned ?? false,
        weakened: task.weakened.slice(0, 10).map(({ path, what }) => cut(`${path}: ${what}`, 300)),
      },
    ];
  });
  const shown = fitting(items);
  const last = shown.at(-1);
  const isAll = events.length < itemsMax && shown.length === items.length;
  return {
    base: await baseOf(place),
    items: shown,
    before: isAll || last === undefined ? null : last.seq,
  };
}

/** The branch that work is merged into; null if there is none now. */
async function baseOf({ project, config }: BoardPlace): Promise<string | null> {
  const repository = await readRepository(project, config);
  return "error" in repository ? config.base_branch : repository.base;
}

interface Commit {
  readonly parent: string | null;
  readonly committer: string;
  readonly isSigned: boolean;
}

/** From the raw commits: a signature is shown, not verified. */
async function readCommits(
  { project }: BoardPlace,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Commit>> {
  const root = project.place.realRoot ?? project.place.root;
  const known = ids.filter((id) => /^[0-9a-f]{40,64}$/.test(id));
  if (known.length === 0 || project.commonFolder === undefined) return new Map();
  const words = ["rev-list", "--no-walk=unsorted", "--header", "--ignore-missing", "--stdin"];
  const { exit, stdout } = await tryGit(root, words, { input: `${known.join("\n")}\n` });
  if (exit !== 0) return new Map();
  return new Map(
    stdout
      .toString("utf8")
      .split("\0")
      .flatMap((text): [string, Commit][] => {
        const [id = "", ...rest] = text.trimStart().split("\n");
        if (id === "") return [];
        const head = rest.slice(0, rest.indexOf(""));
        const headerOf = (name: string) =>
          head.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
        const committer = (headerOf("committer") ?? "").replace(/ <[^>]*> \d+ [+-]\d+$/, "");
        return [
          [id, { parent: headerOf("parent") ?? null, committer, isSigned: headerOf("gpgsig") !== undefined }],
        ];
      }),
  );
}
