/** One spelling for all names that a folding file system takes for the same. */
export function foldPath(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

// What some file systems drop from names: format characters anywhere, dots and spaces at the end of a segment.
const ignorable = /\p{Cf}/gu;

/** As `foldPath`, and blind to every trick that makes another spelling open a protected file. */
export function foldProtected(path: string): string {
  return path
    .normalize("NFKC")
    .replace(ignorable, "")
    .toLowerCase()
    .split("/")
    .map((segment) => segment.replace(/[. ]+$/, (tail) => (tail.length === segment.length ? tail : "")))
    .join("/");
}
