/** One spelling for all names that a case-insensitive file system treats as equal. */
export function foldPath(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

// Some file systems drop format characters anywhere, and dots and spaces at the end of a segment.
const ignorable = /\p{Cf}/gu;

/** As `foldPath`, and also undoes every other spelling that could open a protected file. */
export function foldProtected(path: string): string {
  return path
    .normalize("NFKC")
    .replace(ignorable, "")
    .toLowerCase()
    .split("/")
    .map((segment) => segment.replace(/[. ]+$/, (tail) => (tail.length === segment.length ? tail : "")))
    .join("/");
}
