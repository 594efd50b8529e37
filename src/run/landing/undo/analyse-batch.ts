import { ImportScan, isScript } from "../../../proof/gate/imports/import-scan.ts";
import { readTrees } from "../../../workspace/git/read-tree.ts";

export interface BatchMember {
  readonly task: string;
  readonly files: readonly string[];
}

/** A task of a batch that imports a file which another task of the batch changed. */
export interface HiddenDependency {
  readonly task: string;
  readonly needs: string;
  readonly path: string;
  readonly uses: string;
}

/** Dependencies between tasks that ran at the same time, found by the imports of JS and TS files (S1-101). */
export async function findHiddenDependencies(
  root: string,
  commit: string,
  members: readonly BatchMember[],
): Promise<readonly HiddenDependency[]> {
  const trees = await readTrees(root, [commit]);
  const [tree] = trees;
  if (tree === undefined) return [];
  const scan = await ImportScan.of({ base: tree, result: tree, changed: [] }, { hasPackage: () => true });
  const owners = new Map(members.flatMap(({ task, files }) => files.map((path) => [path, task])));
  const existing = new Set(tree.paths());
  return members.flatMap(({ task, files }) =>
    files
      .filter((path) => isScript(path) && existing.has(path))
      .flatMap((path) =>
        scan.links(path).flatMap(({ to }) => {
          const needs = to.kind === "file" ? owners.get(to.path) : undefined;
          return to.kind !== "file" || needs === undefined || needs === task
            ? []
            : [{ task, needs, path, uses: to.path }];
        }),
      ),
  );
}
