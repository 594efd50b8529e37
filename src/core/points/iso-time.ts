const isoTime =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:(Z)|([+-])(\d\d)(?::?(\d\d))?)?$/;

const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const dayMs = 24 * 60 * 60 * 1000;

/** Milliseconds since 1970 of an ISO 8601 time; UTC if it has no zone. Undefined if the text is not a valid time. */
export function parseIsoTime(text: unknown): number | undefined {
  const match = typeof text === "string" ? isoTime.exec(text) : null;
  if (match === null) return undefined;
  const part = (index: number) => Number(match[index] ?? 0);
  const [year, month, day] = [part(1), part(2), part(3)];
  const [hour, minute, second] = [part(4), part(5), part(6)];
  const [offsetHour, offsetMinute] = [part(10), part(11)];
  if (month < 1 || month > 12 || day < 1 || day > lastDay(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const fractionMs = Number(`0.${match[7] ?? 0}`) * 1000;
  const offsetMs = (offsetHour * 60 + offsetMinute) * 60_000 * (match[9] === "-" ? -1 : 1);
  return startOfDay(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1000 + fractionMs - offsetMs;
}

function lastDay(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (daysOfMonth[month - 1] ?? 0);
}

/** Date.UTC maps years below 100 to the 1900s, so 400 years are added: the calendar repeats after 400 years. */
function startOfDay(year: number, month: number, day: number): number {
  return Date.UTC(year + 400, month - 1, day) - 146_097 * dayMs;
}
