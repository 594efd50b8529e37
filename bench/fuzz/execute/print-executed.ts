import { condense } from "../condense.ts";
import { type Executed, isLetThrough, isViolation, isWithoutEffect } from "./tell-executed.ts";

const reasonsShown = 15;

/** A table of the executed commands, each violation, and the refusals without effect. */
export function tableOf(all: readonly Executed[], seconds: number): string {
  const count = (test: (executed: Executed) => boolean) => String(all.filter(test).length);
  const rows = [
    ["commands", String(all.length)],
    ["executed", count(({ changed }) => changed !== undefined)],
    ["let through", count(isLetThrough)],
    ["refused", count(({ objections }) => objections.length > 0)],
    ["opaque, not executed", count(({ changed }) => changed === undefined)],
    ["took too long", count(({ tookTooLong }) => tookTooLong)],
    ["violations", count(isViolation)],
    ["refused without effect", count(isWithoutEffect)],
    ["commands per second", (all.length / seconds).toFixed(1)],
  ];
  return rows.map(([name = "", value = ""]) => `${name.padEnd(24)}${value.padStart(8)}\n`).join("");
}

export function describeViolation({ command, changed = [], analysis }: Executed): string {
  const writes = analysis.writes.map(({ by, action, target, tree }) =>
    JSON.stringify({ by, action, target, tree }),
  );
  return [
    `VIOLATION: ${condense(JSON.stringify(command))}`,
    `  changed: ${condense(changed.join(", "))}`,
    `  the analysis knows of: ${analysis.programs.join(", ")}`,
    ...writes.map((write) => `    ${write}`),
    "",
  ].join("\n");
}

/** Grouped by the first reason, with the shortest command; paths and names in a reason do not count. */
export function withoutEffectByReason(all: readonly Executed[]): string {
  const found = new Map<string, { count: number; shortest: string }>();
  for (const { command, objections } of all.filter(isWithoutEffect)) {
    const reason = (objections[0]?.reason ?? "").replaceAll(/`[^`]*`/g, "…");
    const { count = 0, shortest = command } = found.get(reason) ?? {};
    found.set(reason, { count: count + 1, shortest: command.length < shortest.length ? command : shortest });
  }
  return [...found]
    .sort(([, a], [, b]) => b.count - a.count)
    .slice(0, reasonsShown)
    .map(
      ([reason, { count, shortest }]) =>
        `${String(count).padStart(6)} ${condense(reason)}\n         ${condense(shortest)}\n`,
    )
    .join("");
}
