import type { PlanLimits } from "./planned-task.ts";

/** What one machine offers, as far as placing a task needs it. */
export interface Offered {
  readonly labels: readonly string[];
  /** Files that the agents need. */
  readonly lacksFiles: readonly string[];
  /** Where those files would have to be. */
  readonly folder: string;
  /** Why an agent and its fallbacks cannot be used there. */
  whyUnusable(agent: string): string | undefined;
}

interface Placed {
  readonly label: string | null;
  readonly agent: string;
}

/** Why a task cannot run on a machine; undefined if it can. */
export function whyNotThere({ label, agent }: Placed, offered: Offered): string | undefined {
  const [file] = offered.lacksFiles;
  if (file !== undefined)
    return `\`${file}\` of \`workspace.include\` is missing: put it into ${offered.folder}`;
  const missing = whyNoLabel(label, offered.labels);
  if (missing !== undefined) return missing;
  const why = offered.whyUnusable(agent);
  return why === undefined ? undefined : `agent \`${agent}\`: ${why}`;
}

/** The label that a task or an agent needs, where a machine does not have it. */
export function whyNoLabel(label: string | null, labels: readonly string[]): string | undefined {
  return label === null || labels.includes(label) ? undefined : `it needs the label \`${label}\``;
}

/** The labels of a machine, from options and from a list with commas. */
export function readLabels(given: readonly string[], listed = ""): readonly string[] {
  const all = [...given, ...listed.split(",")].map((label) => label.trim());
  return [...new Set(all.filter((label) => label !== ""))];
}

/** The limits of one machine among several: its own slots, and the limits of a run for each of them. */
export function fleetLimits(
  limits: PlanLimits,
  { slots, machines }: { slots: number; machines: number },
): PlanLimits {
  return {
    ...limits,
    maxParallel: slots,
    maxReview: limits.maxReview * machines,
    maxActive: Math.max(limits.maxActive, slots) * machines,
  };
}

/** Rework stays where the checkout and the conversation are, for so long. */
const reworkMs = 30_000;

/** Whether rejected work is left to the machine that did it, which lives and has a free slot. */
export function isLeftToMaker({
  waitsMs,
  maker,
}: {
  readonly waitsMs: number;
  /** Undefined if that machine is gone, or this one. */
  readonly maker:
    | { readonly slots: number; readonly running: number; readonly draining: boolean }
    | undefined;
}): boolean {
  if (maker === undefined || maker.draining || maker.running >= maker.slots) return false;
  return waitsMs < reworkMs;
}
