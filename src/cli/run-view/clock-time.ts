/** 10:15:00, where the person is. */
export function clockTime(at: Date | string): string {
  return new Date(at).toTimeString().slice(0, 8);
}
