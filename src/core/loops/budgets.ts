/** The tokens and cost of a task since a person last resolved it. */
export interface Spent {
  readonly tokens: number;
  /** Null if no client reported a price. */
  readonly cost_usd: number | null;
}

/** The limited quantities. Minutes count per attempt, the others per task. */
export type BudgetSignal = keyof Spent | "minutes";

export interface Threshold {
  readonly warn: number | null;
  readonly halt: number | null;
}

type Full<Limit> = { readonly [Name in keyof Limit]: NonNullable<Limit[Name]> };

export interface Breach {
  readonly signal: keyof Spent;
  readonly amount: number;
  readonly warn: number | null;
  readonly halt: number | null;
}

/** A budget halts when its limit is reached, not only when it is exceeded (A1-5). */
export function findBreaches(
  spent: Spent,
  limits: Readonly<Record<keyof Spent, Threshold>>,
): { readonly halted: Breach | undefined; readonly warned: readonly Breach[] } {
  const breaches = (["tokens", "cost_usd"] as const).flatMap((signal) => {
    const amount = spent[signal];
    return amount === null ? [] : [{ signal, amount, ...limits[signal] }];
  });
  const reached = (limit: number | null, amount: number) => limit !== null && amount >= limit;
  return {
    halted: breaches.find(({ halt, amount }) => reached(halt, amount)),
    warned: breaches.filter(({ warn, amount }) => reached(warn, amount)),
  };
}

/** The threshold with another halt; the warning moves in proportion. */
export function endingAt(limit: Full<Threshold>, end: number): Full<Threshold>;
export function endingAt(limit: Threshold, end: number | null): Threshold;
export function endingAt({ warn, halt }: Threshold, end: number | null): Threshold {
  if (end === halt || end === null) return { warn, halt: end };
  return { halt: end, warn: warn === null || halt === null ? null : rounded((end * warn) / halt) };
}

/** A person's limits for a session, which replace those of the configuration. */
export interface Ends {
  readonly tokens?: number;
  readonly minutes?: number;
}

export function withEnds<Limits extends { readonly tokens: Threshold; readonly minutes: Threshold }>(
  limits: Limits,
  { tokens, minutes }: Ends,
): Limits {
  return {
    ...limits,
    ...(tokens === undefined ? {} : { tokens: endingAt(limits.tokens, tokens) }),
    ...(minutes === undefined ? {} : { minutes: endingAt(limits.minutes, minutes) }),
  };
}

/** The limit, or the amount that a person allowed if that is larger. */
export function atLeast(limit: Threshold, allowed: number | undefined): Threshold {
  return allowed === undefined || limit.halt === null || allowed <= limit.halt
    ? limit
    : endingAt(limit, allowed);
}

const units: Readonly<Record<BudgetSignal, RegExp>> = {
  tokens: /^(\d+)\s*(k?)\s*(?:more\s+)?(?:tokens?)?$/i,
  minutes: /^(\d+(?:\.\d+)?)\s*()(?:more\s+)?(?:m|min|mins|minutes?)?$/i,
  cost_usd: /^\$?\s*(\d+(?:\.\d+)?)\s*()(?:more\s+)?(?:\$|usd|dollars?)?$/i,
};

/** Reads the amount in an answer: `20000`, `20k tokens`, `30 minutes`, `$2.50`. Undefined if it has none. */
export function readAmount(text: string, signal: BudgetSignal): number | undefined {
  const [, digits, thousands] = units[signal].exec(text.trim()) ?? [];
  const amount = Number(digits) * (thousands ? 1000 : 1);
  return Number.isFinite(amount) && amount > 0 && amount <= Number.MAX_SAFE_INTEGER ? amount : undefined;
}

export function amountOf({ signal, amount }: { readonly signal: BudgetSignal; readonly amount: number }) {
  if (signal === "cost_usd") return `$${amount}`;
  return `${amount} ${amount === 1 ? signal.slice(0, -1) : signal}`;
}

/** `20000 more tokens`, `$2 more`. */
export function moreOf({ signal, amount }: { readonly signal: BudgetSignal; readonly amount: number }) {
  return signal === "cost_usd" ? `$${amount} more` : amountOf({ signal, amount }).replace(" ", " more ");
}

/** Sums are rounded to a billionth of a dollar, so that ten times ten cents is one dollar. */
export function addCost(sum: number | null, more: number | undefined): number | null {
  return more === undefined ? sum : rounded((sum ?? 0) + more);
}

function rounded(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}
