const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const dayMs = 24 * 3600_000;

/** `resets 3am`, `resets Nov 18, 11:06am (UTC)`, `resets at 5pm (Europe/Berlin)`. */
const clockTime =
  /resets\s+(?:at\s+)?(?:([a-z]{3})[a-z]*\s+(\d{1,2})(?:,|\s+at)\s+)?(\d{1,2})(?::(\d{2}))?\s*([ap])m(?:\s*\(([^)]+)\))?/i;

/** `usage limit reached|1795000000`. */
const epochSeconds = /\|(\d{10})\b/;

/** When a limit ends, according to the client's text; null if the text does not say. */
export function readResetTime(text: string, now: Date): Date | null {
  const [, seconds] = epochSeconds.exec(text) ?? [];
  if (seconds !== undefined) return new Date(Number(seconds) * 1000);
  const [, month, day, hour, minute = "0", half, zone] = clockTime.exec(text) ?? [];
  const wall = hour === undefined ? undefined : wallClock(now, zone);
  if (wall === undefined) return null;
  const today = new Date(wall);
  const at = (year: number) =>
    Date.UTC(
      year,
      month === undefined ? today.getUTCMonth() : months.indexOf(month.toLowerCase()),
      day === undefined ? today.getUTCDate() : Number(day),
      (Number(hour) % 12) + (half?.toLowerCase() === "p" ? 12 : 0),
      Number(minute),
    );
  const year = today.getUTCFullYear();
  const named = at(year) < wall - 180 * dayMs ? at(year + 1) : at(year);
  const next = month === undefined && named <= wall ? named + dayMs : named;
  return Number.isNaN(next) ? null : new Date(now.getTime() + next - wall);
}

/** The local time in a zone, read as if it were UTC; undefined for an unknown zone. */
function wallClock(now: Date, zone: string | undefined): number | undefined {
  try {
    const shown = now.toLocaleString("sv-SE", zone === undefined ? {} : { timeZone: zone });
    return Date.parse(`${shown.replace(" ", "T")}Z`);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
