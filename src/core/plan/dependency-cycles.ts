/** A dependency that closes a cycle. `way` is the cycle; its first task is also its last. */
export interface Cycle {
  readonly task: string;
  readonly dependency: string;
  readonly way: readonly string[];
}

type Open = { readonly id: string; next: number };

/** Finds dependencies whose removal makes the graph acyclic. Unknown ids are ignored. */
export function findCycles(dependsOn: ReadonlyMap<string, readonly string[]>): readonly Cycle[] {
  const found: Cycle[] = [];
  const seen = new Set<string>();
  for (const start of dependsOn.keys()) {
    if (seen.has(start)) continue;
    seen.add(start);
    const way: Open[] = [{ id: start, next: 0 }];
    const onWay = new Map([[start, 0]]);
    for (let at = way.at(-1); at !== undefined; at = way.at(-1)) {
      const dependency = dependsOn.get(at.id)?.[at.next];
      at.next += 1;
      if (dependency === undefined) {
        way.pop();
        onWay.delete(at.id);
        continue;
      }
      const from = onWay.get(dependency);
      if (from !== undefined)
        found.push({
          task: at.id,
          dependency,
          way: [...way.slice(from).map(({ id }) => id), dependency],
        });
      if (seen.has(dependency) || !dependsOn.has(dependency)) continue;
      seen.add(dependency);
      onWay.set(dependency, way.length);
      way.push({ id: dependency, next: 0 });
    }
  }
  return found;
}
