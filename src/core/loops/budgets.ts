/** What a task has spent since a person last resolved it. */
export interface Spent {
  readonly tokens: number;
  /** Null where nobody told a price. */
  readonly cost_usd: number | null;
}

interface Threshold {
  readonly warn: number | null;
  readonly halt: number | null;
}

export interface Breach {
  readonly signal: keyof Spent;
  readonly amount: number;
  readonly warn: number | null;
  readonly halt: number | null;
}

/** A budget halts when its limit is reached, not only when it is passed (A1-5). */
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

export function amountOf({ signal, amount }: Pick<Breach, "signal" | "amount">): string {
  return signal === "tokens" ? `${amount} tokens` : `$${amount}`;
}

/** Prices are added up to a billionth of a dollar, so that ten times ten cents are a dollar. */
export function addCost(sum: number | null, more: number | undefined): number | null {
  return more === undefined ? sum : Math.round(((sum ?? 0) + more) * 1e9) / 1e9;
}
