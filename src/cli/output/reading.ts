import type { Deny } from "../../core/rules/verdict.ts";
import { writeAll } from "./descriptor.ts";
import { faultVerdict, tellRefusal } from "./verdicts.ts";

/**
 * Prints what a reading command found: a text, or the document with `--json`. A deny exits 2; an error while reading
 * exits as `exitOf` says.
 */
export async function showReading<Document>(
  {
    json,
    text,
    exit = () => 0,
  }: {
    readonly json?: boolean | undefined;
    readonly text: (document: Document) => string;
    readonly exit?: (document: Document) => number;
  },
  read: () => Promise<Document | Deny>,
): Promise<number> {
  let document: Document | Deny;
  try {
    document = await read();
  } catch (error) {
    if (process.argv.includes("--debug") && error instanceof Error) writeAll(2, `${error.stack}\n`);
    return tellRefusal(faultVerdict(error), json);
  }
  if (isDeny(document)) {
    tellRefusal(document, json);
    return 2;
  }
  writeAll(1, json === true ? `${JSON.stringify(document, null, 2)}\n` : text(document));
  return exit(document);
}

function isDeny(document: unknown): document is Deny {
  return typeof document === "object" && document !== null && "allow" in document && document.allow === false;
}
