import type { Program } from "../../types.ts";
import type { Row } from "./row.ts";
import { programOf } from "./run-row.ts";
import { both } from "./words.ts";

/** The description of a program, given the built-in one. */
export type TaughtPrograms = (name: string, builtIn: Program | undefined) => Program | undefined;

/** A row of a configuration, and its position there. */
export interface TaughtRow extends Row {
  readonly at?: string;
}

const kept = new WeakMap<readonly TaughtRow[], TaughtPrograms>();

/** Rows of a configuration. They add to the built-in description of a program and never remove from it. */
export function taughtPrograms(rows: readonly TaughtRow[]): TaughtPrograms {
  const known = kept.get(rows);
  if (known !== undefined) return known;
  const byName = programsOf(rows);
  const taught: TaughtPrograms = (name, builtIn) => {
    const own = byName.get(name) ?? byName.get(name.replace(/\.(?:exe|cmd|bat|com)$/i, ""));
    if (own === undefined) return builtIn;
    return builtIn === undefined ? own : both(builtIn, own);
  };
  kept.set(rows, taught);
  return taught;
}

function programsOf(rows: readonly TaughtRow[]): ReadonlyMap<string, Program> {
  const byName = new Map<string, Program>();
  for (const [index, row] of rows.entries()) {
    const program = programOf(row, `\`${row.names}\` (${row.at ?? `guard.programs[${index}]`})`);
    for (const name of row.names.split(/\s+/)) {
      const other = byName.get(name);
      byName.set(name, other === undefined ? program : both(other, program));
    }
  }
  return byName;
}
