import type { Deny, Verdict } from "../core/rules/verdict.ts";
import { writeAll } from "./descriptor.ts";
import { faultVerdict, tellRefusal } from "./verdicts.ts";

/**
 * A command that reads: a text for people, or the document with `--json`.
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
    return refuse(faultVerdict(error), json);
  }
  if (isDeny(document)) return refuse(document, json);
  writeAll(1, json === true ? `${JSON.stringify(document, null, 2)}\n` : text(document));
  return exit(document);
}

/** A document that denies always exits 2. */
function refuse(refused: Verdict, json: boolean | undefined): number {
  const exit = tellRefusal(refused, json);
  return json === true ? 2 : exit;
}

function isDeny(document: unknown): document is Deny {
  return typeof document === "object" && document !== null && "allow" in document && document.allow === false;
}
