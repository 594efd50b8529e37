/** Which file loads which before it runs. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

export interface Edge {
  readonly from: string;
  readonly to: string;
}

/** The group of each file that lies on some circle: files of one group reach each other. Tarjan's, without recursion. */
export function circleGroups(graph: ImportGraph): ReadonlyMap<string, number> {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const groups = new Map<string, number>();
  const pending: string[] = [];
  const isPending = new Set<string>();
  const enter = (path: string) => {
    order.set(path, order.size);
    lowest.set(path, order.size - 1);
    pending.push(path);
    isPending.add(path);
    return { path, left: (graph.get(path) ?? new Set<string>()).values() };
  };
  const reach = (path: string, number: number) =>
    lowest.set(path, Math.min(lowest.get(path) ?? number, number));
  for (const root of graph.keys()) {
    if (order.has(root)) continue;
    const open = [enter(root)];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const { value: next } = top.left.next();
      if (next !== undefined) {
        if (!order.has(next)) open.push(enter(next));
        else if (isPending.has(next)) reach(top.path, order.get(next) as number);
        continue;
      }
      open.pop();
      const low = lowest.get(top.path) as number;
      const above = open.at(-1);
      if (above !== undefined) reach(above.path, low);
      if (low !== order.get(top.path)) continue;
      const members = pending.splice(pending.lastIndexOf(top.path));
      for (const member of members) isPending.delete(member);
      if (members.length > 1 || graph.get(top.path)?.has(top.path))
        for (const member of members) groups.set(member, low);
    }
  }
  return groups;
}

/** The shortest cycle through an edge, as files in order; the first and the last are the same. */
export function circleThrough(graph: ImportGraph, { from, to }: Edge): readonly string[] {
  const cameFrom = new Map<string, string>([[to, from]]);
  let reached = [to];
  while (reached.length > 0 && !reached.includes(from)) {
    const next: string[] = [];
    for (const path of reached)
      for (const target of graph.get(path) ?? [])
        if (!cameFrom.has(target)) {
          cameFrom.set(target, path);
          next.push(target);
        }
    reached = next;
  }
  const way = [from];
  for (let at = cameFrom.get(from) ?? to; at !== from; at = cameFrom.get(at) as string) way.unshift(at);
  return [from, ...way];
}
