/** 10:15:00, in the local time zone. */
export function clockTime(at: Date | string): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/** 2026-02-14 10:15:00, in the local time zone. A text that is not a time is returned unchanged. */
export function localTime(at: Date | string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return String(at);
  const day = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  return `${day.map((part) => String(part).padStart(2, "0")).join("-")} ${clockTime(time)}`;
}

const leadingTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/;

/** A log line with its leading time in the local time zone. */
export function withLocalTime(line: string, format: (at: string) => string = localTime): string {
  return line.replace(leadingTime, (at) => format(at));
}
