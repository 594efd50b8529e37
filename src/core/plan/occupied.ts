import { PathIndex } from "../paths/path-index.ts";
import type { PlanLimits, PlannedTask } from "./planned-task.ts";

type Held = Pick<PlannedTask, "scope" | "uses">;

/** The paths and resources that are in use. */
export class Occupied {
  readonly #paths = new PathIndex();
  readonly #users = new Map<string, number>();
  readonly #counts: PlanLimits["resources"];

  constructor(counts: PlanLimits["resources"]) {
    this.#counts = counts;
  }

  hasRoomFor({ scope, uses }: Held): boolean {
    const full = (resource: string) => (this.#users.get(resource) ?? 0) >= this.#countOf(resource);
    return !uses.some(full) && scope.every((entry) => this.#paths.overlapping(entry) === undefined);
  }

  take({ scope, uses }: Held): void {
    for (const entry of scope) this.#paths.add("", entry);
    for (const resource of new Set(uses)) this.#users.set(resource, (this.#users.get(resource) ?? 0) + 1);
  }

  #countOf(resource: string): number {
    return Object.hasOwn(this.#counts, resource) ? (this.#counts[resource] ?? 1) : 1;
  }
}
