/** The limits below (C-19) are for a budget of this many tokens. */
const budgetTokens = 50_000;
const edits = { warn: 15, halt: 20 };
const fetches = { warn: 8, halt: 10 };

export interface LoopLimits {
  /** Edits of one file. */
  readonly edits: { readonly warn: number; readonly halt: number };
  readonly fetches: { readonly warn: number; readonly halt: number };
  /** The task halts when the same target has been refused this many times. */
  readonly refusedWrites: number;
}

/** Loop limits scale with the token budget (base: 50,000). */
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
