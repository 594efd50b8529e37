import { type AttemptName, refsOf, refsOfTask } from "../../core/names/ref-names.ts";
import { readRef } from "../git/refs.ts";
import { git } from "../git/run-git.ts";
import { repositoryFolder } from "./checkout.ts";

export interface KeptRef {
  readonly ref: string;
  readonly object: string;
  readonly type: string;
  readonly tree: string;
  readonly subject: string;
}

export interface TaskKept {
  /** The base commits of attempts whose checkouts still exist. */
  readonly bases: readonly KeptRef[];
  readonly made: readonly KeptRef[];
}

export const nothing: TaskKept = { bases: [], made: [] };

/** The refs that the repository keeps for all attempts at some tasks. */
export async function readTaskRefs<Name extends AttemptName>(
  commonFolder: string,
  names: readonly Name[],
): Promise<readonly (TaskKept & { readonly of: Name })[]> {
  if (names.length === 0) return [];
  const format = "%(refname)%00%(objectname)%00%(objecttype)%00%(tree)%00%(contents:subject)";
  const patterns = names.map(refsOfTask).flatMap(({ base, made }) => [base, made]);
  const text = await git(repositoryFolder(commonFolder), ["for-each-ref", `--format=${format}`, ...patterns]);
  const refs = text.split("\n").flatMap((line): KeptRef[] => {
    const [ref = "", object = "", type = "", tree = "", subject = ""] = line.split("\0");
    return ref === "" ? [] : [{ ref, object, type, tree, subject }];
  });
  const below = (folder: string) => refs.filter(({ ref }) => ref.startsWith(`${folder}/`));
  return names.map((of) => {
    const { base, made } = refsOfTask(of);
    return { of, bases: below(base), made: below(made) };
  });
}

/** True if this attempt or an earlier one has begun and its checkout was not removed. */
export async function hasBegun(commonFolder: string, name: AttemptName): Promise<boolean> {
  const attempts = Array.from({ length: name.attempt }, (_, at) => ({ ...name, attempt: at + 1 }));
  const folder = repositoryFolder(commonFolder);
  const found = await Promise.all(attempts.map((each) => readRef(folder, refsOf(each).base)));
  return found.some((commit) => commit !== undefined);
}
