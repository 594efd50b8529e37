import { ImportScan, isScript } from "../../proof/gate/imports/import-scan.ts";
import { readTrees } from "../../workspace/git/read-tree.ts";

export interface BatchMember {
  readonly task: string;
  readonly files: readonly string[];
}

/** One task of a batch that builds on what another one of it changed. */
export interface HiddenDependency {
  readonly task: string;
  readonly needs: string;
  readonly path: string;
  readonly uses: string;
}

/** S1-101: what was done at the same time though one needed the other, told by the imports of JS and TS files. */
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
  const there = new Set(tree.paths());
  return members.flatMap(({ task, files }) =>
    files
      .filter((path) => isScript(path) && there.has(path))
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
