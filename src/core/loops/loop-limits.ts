/** The numbers of C-19, which go with a budget of so many tokens. */
const budgetTokens = 50_000;
const edits = { warn: 15, halt: 20 };
const fetches = { warn: 8, halt: 10 };

export interface LoopLimits {
  /** Edits of one file. */
  readonly edits: { readonly warn: number; readonly halt: number };
  readonly fetches: { readonly warn: number; readonly halt: number };
  /** The same target refused so often halts. */
  readonly refusedWrites: number;
}

/** Whoever gives a task more tokens than S1 does gives it as much more to do with them. */
export function loopLimits({
  sameError,
  tokens,
}: {
  readonly sameError: number;
  readonly tokens: { readonly halt: number | null };
}): LoopLimits {
  const share = tokens.halt === null ? Infinity : Math.max(1, tokens.halt / budgetTokens);
  const grown = ({ warn, halt }: { warn: number; halt: number }) => ({
    warn: Math.floor(warn * share),
    halt: Math.floor(halt * share),
  });
  return { edits: grown(edits), fetches: grown(fetches), refusedWrites: sameError };
}
