import type { Row } from "../row/row.ts";

export const editors: readonly Row[] = [
  {
    names: "code code-insiders codium subl atom gedit kate zed idea pycharm webstorm notepad mate bbedit",
    opaque: "it opens an editor",
    mentions: "operands",
    match: ["code a"],
    no_match: ["code --version"],
  },
  { names: "sudoedit", writes: "operands", match: ["sudoedit a -> a"] },
];
