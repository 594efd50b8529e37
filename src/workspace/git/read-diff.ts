import { compareTrees } from "./tree-entries.ts";

export interface ChangedPath {
  /** Escaped if the name is not UTF-8; such a path is never used to open a file. */
  readonly path: string;
  readonly status: "added" | "modified" | "deleted";
  readonly utf8: boolean;
  /** The new side: a symbolic link, a submodule, or neither. */
  readonly kind: "file" | "link" | "submodule";
}

const kinds: Readonly<Record<string, ChangedPath["kind"]>> = { "120000": "link", "160000": "submodule" };

/** Every path that differs between two trees. A rename is a deletion and an addition, so both paths are checked. */
export async function readDiff(folder: string, from: string, to: string): Promise<readonly ChangedPath[]> {
  return (await compareTrees(folder, from, to)).map(({ path: bytes, before, after }) => {
    const { path, utf8 } = readName(Buffer.from(bytes, "latin1"));
    const status = before === undefined ? "added" : after === undefined ? "deleted" : "modified";
    return { path, utf8, status, kind: kinds[(after ?? before)?.mode ?? ""] ?? "file" };
  });
}

export function splitAtZero(bytes: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
    fields.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return fields;
}

export function readName(bytes: Buffer): { readonly path: string; readonly utf8: boolean } {
  try {
    return { path: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), utf8: true };
  } catch {
    const escaped = [...bytes].map((byte) =>
      byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`,
    );
    return { path: escaped.join(""), utf8: false };
  }
}
