import type { Row } from "../row/row.ts";

const unpacks = "the archive names what it writes, through links too";
const intoHere = { opaque: unpacks, fixed: ".", tree: true } as const;

export const archives: readonly Row[] = [
  {
    names: "unzip",
    values: "x P O I",
    flags: "n o q u f j a L",
    folders: "d",
    harmless: "l t p c z Z v h hh",
    ...intoHere,
    cases: [{ when: "d", opaque: unpacks }, intoHere],
    match: ["unzip a.zip -> .", "unzip -o a.zip -d b -> b"],
    no_match: ["unzip -l a.zip", "unzip -p a.zip b", "unzip -h"],
  },
  {
    names: "7z 7za 7zr 7zz p7zip",
    style: "first-letter",
    values: "o p t m x i w v r",
    commands: {
      "x e": { folders: "o", cases: [{ when: "o", opaque: unpacks }, intoHere] },
      "a d u rn": { cases: [{ when: "sdel", writes: "operands", action: "delete", tree: true }, { writes: "first" }] },
    },
    match: ["7z x a.7z -> .", "7z x a.7z -ob -> b", "7z a b.7z c -> b.7z", "7z a b.7z -sdel c -> b.7z c"],
    no_match: ["7z l a.7z"],
  },
  { names: "unar", values: "p e", folders: "o,output-directory", opaque: "it unpacks", match: ["unar -o b a -> b"] },
  { names: "ranlib", writes: "operands", match: ["ranlib a -> a"] },
  { names: "mksquashfs", writes: "second", match: ["mksquashfs a b -> b"] },
  { names: "unsquashfs", style: "long", folders: "d,dest", opaque: "it unpacks", match: ["unsquashfs -d b a -> b"] },
  { names: "mkisofs genisoimage xorriso", style: "long", values: "V r", files: "o,output", match: ["mkisofs -o a b -> a"], no_match: ["mkisofs b"] },
];
