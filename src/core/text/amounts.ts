/** 950, 1.2k, 35k, 1.2M. */
export function shortNumber(value: number): string {
  if (value < 1000) return String(value);
  const [unit, word] = value >= 999_500 ? [1_000_000, "M"] : [1000, "k"];
  const count = value / unit;
  return `${count < 9.95 ? count.toFixed(1).replace(/\.0$/, "") : Math.round(count)}${word}`;
}

/** 75 → `1m 15s`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${minutes % 60}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
