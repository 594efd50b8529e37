/** Why a text cannot be read, and where. */
export interface Fault {
  readonly line: number;
  readonly message: string;
}

/** Lines count from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
