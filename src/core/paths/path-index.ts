import { anyDepth, type Entry, type Segment, type Shape } from "./entry.ts";
import { matchesEverything, matchesSegment, patternsMeet, type SegmentPattern } from "./segment-pattern.ts";

/**
 * Entries in a trie by segment. A lookup walks from the root along the path, so its cost depends on the depth of
 * the path and on the patterns along it, not on the number of entries. Only a lookup that itself contains a
 * wildcard visits the names that the wildcard could match.
 */
export interface Held {
  readonly owner: string;
  /** The entry as it was written. */
  readonly text: string;
}

interface Slot extends Held {
  readonly list: "deep" | "exact";
  readonly node: Node;
  /** The next slot of the same node: a linked list needs fewer memory accesses than an array. */
  next: Slot | undefined;
}

interface Node {
  readonly parent: Node | undefined;
  readonly edge: Segment | undefined; // the edge from the parent
  readonly loops: boolean; // reached through `**`: matches any further segment
  names: Map<string, Node> | undefined;
  patterns: Map<string, { readonly pattern: SegmentPattern; readonly node: Node }> | undefined;
  anyDepth: Node | undefined;
  /** `deep` slots also match everything below; `exact` slots match only this path. */
  deep: Slot | undefined;
  exact: Slot | undefined;
  /** Number of slots here and below. */
  count: number;
}

type Visit = (node: Node, at: number) => Slot | undefined;

export class PathIndex {
  readonly #root = newNode(undefined, undefined);
  readonly #byOwner = new Map<string, Slot[]>();

  get size(): number {
    return this.#root.count;
  }

  add(owner: string, entry: Entry): void {
    for (const shape of entry.shapes) {
      const node = this.#nodeFor(shape);
      const list = shape.deep ? "deep" : "exact";
      const slot: Slot = { owner, text: entry.text, list, node, next: node[list] };
      node[list] = slot;
      for (let up: Node | undefined = node; up !== undefined; up = up.parent) up.count += 1;
      const own = this.#byOwner.get(owner);
      if (own === undefined) this.#byOwner.set(owner, [slot]);
      else own.push(slot);
    }
  }

  removeOwner(owner: string): void {
    for (const slot of this.#byOwner.get(owner) ?? []) {
      unlink(slot);
      for (let up: Node | undefined = slot.node; up !== undefined; up = up.parent) {
        up.count -= 1;
        if (up.count === 0) detach(up);
      }
    }
    this.#byOwner.delete(owner);
  }

  /** An entry of an owner other than `except` that can match a path which the given entry can match too. */
  overlapping(entry: Entry, except?: string): Held | undefined {
    for (const shape of entry.shapes) {
      const found = this.#overlap(shape, except);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** True if, for each shape of the given entry, a single entry here is certain to include all its paths. */
  covers(entry: Entry): boolean {
    return entry.shapes.every((shape) => this.#cover(shape) !== undefined);
  }

  /** As `covers`, for one shape; returns the entry that includes it. */
  covering(shape: Shape): Held | undefined {
    return this.#cover(shape);
  }

  #nodeFor(shape: Shape): Node {
    let node = this.#root;
    for (const segment of shape.segments) node = childFor(node, segment);
    return node;
  }

  #overlap(shape: Shape, except: string | undefined): Held | undefined {
    const { segments } = shape;
    const visit = once(segments, (node, at) => {
      if (node.count === 0) return undefined;
      const here = slotOf(node, at === segments.length, except);
      if (here !== undefined) return here;
      if (at === segments.length && shape.deep) return this.#anyBelow(node, except);
      return eachNext(node, segments[at], at, visit, meets);
    });
    return visit(this.#root, 0);
  }

  #cover(shape: Shape): Held | undefined {
    const { segments } = shape;
    const visit = once(segments, (node, at) => {
      if (node.count === 0) return undefined;
      const ends = at === segments.length && !shape.deep;
      const here = slotOf(node, ends);
      return here ?? eachNext(node, segments[at], at, visit, includes);
    });
    return visit(this.#root, 0);
  }

  /** Descends only into nodes with slots of owners other than `except`. */
  #anyBelow(node: Node, except: string | undefined): Slot | undefined {
    const own = except === undefined ? undefined : this.#byOwner.get(except);
    const foreignIn = (candidate: Node) =>
      candidate.count > (own?.filter((slot) => isWithin(slot.node, candidate)).length ?? 0);
    let current: Node | undefined = foreignIn(node) ? node : undefined;
    while (current !== undefined) {
      const slot = slotOf(current, true, except);
      if (slot !== undefined) return slot;
      current = firstOf(childrenOf(current), foreignIn);
    }
    return undefined;
  }
}

interface Relation {
  /** Children of `node` that a wildcard in the lookup can match. */
  wild(node: Node, asked: SegmentPattern): Iterable<Node>;
  /** True if a `**` in the lookup also matches names that are not in the index. */
  readonly expandsAnyDepth: boolean;
}

const meets: Relation = {
  expandsAnyDepth: true,
  *wild(node, asked) {
    const all = matchesEverything(asked);
    for (const [name, child] of node.names ?? []) if (all || matchesSegment(asked, name)) yield child;
    for (const { pattern, node: child } of node.patterns?.values() ?? [])
      if (patternsMeet(pattern, asked)) yield child;
  },
};

const includes: Relation = {
  expandsAnyDepth: false,
  *wild(node, asked) {
    for (const { pattern, node: child } of node.patterns?.values() ?? [])
      if (pattern.text === asked.text || matchesEverything(pattern)) yield child;
  },
};

function eachNext(node: Node, asked: Segment | undefined, at: number, visit: Visit, relation: Relation) {
  if (node.anyDepth !== undefined) {
    const found = visit(node.anyDepth, at);
    if (found !== undefined) return found;
  }
  if (asked === undefined) return undefined;
  if (node.loops) {
    const found = visit(node, at + 1);
    if (found !== undefined) return found;
  }
  if (asked === anyDepth) return relation.expandsAnyDepth ? anyDepthNext(node, at, visit) : undefined;
  if (typeof asked === "string") return namedNext(node, asked, at, visit);
  for (const child of relation.wild(node, asked)) {
    const found = visit(child, at + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function namedNext(node: Node, name: string, at: number, visit: Visit): Slot | undefined {
  const child = node.names?.get(name);
  const found = child === undefined ? undefined : visit(child, at + 1);
  if (found !== undefined || node.patterns === undefined) return found;
  for (const { pattern, node: next } of node.patterns.values()) {
    const hit = matchesSegment(pattern, name) ? visit(next, at + 1) : undefined;
    if (hit !== undefined) return hit;
  }
  return undefined;
}

function anyDepthNext(node: Node, at: number, visit: Visit): Slot | undefined {
  const here = visit(node, at + 1);
  if (here !== undefined) return here;
  for (const child of childrenOf(node)) {
    const found = visit(child, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Visits each (node, position) once where a `**` could lead to it on several paths. */
function once(segments: readonly Segment[], visit: Visit): Visit {
  let seen: Map<Node, Set<number>> | undefined = segments.includes(anyDepth) ? new Map() : undefined;
  return (node, at) => {
    if (node.loops) seen ??= new Map();
    if (seen !== undefined) {
      const positions = seen.get(node);
      if (positions?.has(at)) return undefined;
      if (positions === undefined) seen.set(node, new Set([at]));
      else positions.add(at);
    }
    return visit(node, at);
  };
}

/** A matching slot of an owner other than `except`: deep slots always match, exact ones only at the path's end. */
function slotOf(node: Node, ends: boolean, except?: string): Slot | undefined {
  return notOf(node.deep, except) ?? (ends ? notOf(node.exact, except) : undefined);
}

function notOf(first: Slot | undefined, except: string | undefined): Slot | undefined {
  if (except === undefined) return first;
  let slot = first;
  while (slot !== undefined && slot.owner === except) slot = slot.next;
  return slot;
}

function unlink(slot: Slot): void {
  const { node, list, next } = slot;
  if (node[list] === slot) {
    node[list] = next;
    return;
  }
  let before = node[list];
  while (before !== undefined && before.next !== slot) before = before.next;
  if (before !== undefined) before.next = next;
}

function newNode(parent: Node | undefined, edge: Segment | undefined): Node {
  return {
    parent,
    edge,
    loops: edge === anyDepth,
    names: undefined,
    patterns: undefined,
    anyDepth: undefined,
    deep: undefined,
    exact: undefined,
    count: 0,
  };
}

function childFor(node: Node, segment: Segment): Node {
  if (segment === anyDepth) {
    node.anyDepth ??= newNode(node, anyDepth);
    return node.anyDepth;
  }
  if (typeof segment === "string") {
    node.names ??= new Map();
    const known = node.names.get(segment) ?? newNode(node, segment);
    node.names.set(segment, known);
    return known;
  }
  node.patterns ??= new Map();
  const known = node.patterns.get(segment.text) ?? { pattern: segment, node: newNode(node, segment) };
  node.patterns.set(segment.text, known);
  return known.node;
}

function* childrenOf(node: Node): Iterable<Node> {
  if (node.names !== undefined) yield* node.names.values();
  for (const edge of node.patterns?.values() ?? []) yield edge.node;
  if (node.anyDepth !== undefined) yield node.anyDepth;
}

function detach(node: Node): void {
  const { parent, edge } = node;
  if (parent === undefined || edge === undefined) return;
  if (edge === anyDepth) parent.anyDepth = undefined;
  else if (typeof edge === "string") parent.names?.delete(edge);
  else parent.patterns?.delete(edge.text);
}

function firstOf(nodes: Iterable<Node>, wanted: (node: Node) => boolean): Node | undefined {
  for (const node of nodes) if (wanted(node)) return node;
  return undefined;
}

function isWithin(node: Node, ancestor: Node): boolean {
  for (let up: Node | undefined = node; up !== undefined; up = up.parent) if (up === ancestor) return true;
  return false;
}
