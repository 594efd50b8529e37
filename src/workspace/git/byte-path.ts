import { readName } from "./read-diff.ts";

/** A path with one character per byte, because a name need not be UTF-8 and must lead back to the same file. */
export type BytePath = string;

export function onDisk(root: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, "latin1")]);
}

export function isAscii(path: string): boolean {
  return !/[\x80-\uffff]/.test(path);
}

export function asBytes(path: string): BytePath {
  return Buffer.from(path).toString("latin1");
}

/** The path as shown to users. */
export function shown(path: BytePath): string {
  return readName(Buffer.from(path, "latin1")).path;
}
