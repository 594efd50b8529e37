import { join } from "node:path";
import { refsOf } from "../../core/names/ref-names.ts";
import { sessionsFolder } from "../../core/names/session-paths.ts";
import { quoted } from "../../core/text/quoted.ts";
import { removeFolder } from "../files/remove-folder.ts";
import { asBytes } from "../git/byte-path.ts";
import { type Checkout, CheckoutFault } from "./checkout.ts";
import { keepEverything } from "./keep-everything.ts";
import { sizeAt } from "./walk-tree.ts";

/** The path of the session's folder, or of the one above it, if its agent has put something else in its place. */
export function replacedSession(
  { folder }: Pick<Checkout, "folder">,
  session: string | null,
): string | undefined {
  const own = session === null ? [] : [join(sessionsFolder, session)];
  return [sessionsFolder, ...own].find((path) => sizeAt(folder, asBytes(path))?.isDirectory() === false);
}

export function replacedText(path: string): string {
  return `${quoted(path)} was replaced by a file or a link, but it is the folder of the session`;
}

/** Keeps on a ref what is in the place of the session's folder, and removes it. Returns lines that say so. */
export async function restoreSession(checkout: Checkout): Promise<readonly string[]> {
  const path = replacedSession(checkout, checkout.session);
  if (path === undefined) return [];
  try {
    const { ignored } = refsOf(checkout);
    const isKept = (await keepEverything(checkout)).some(({ ref }) => ref === ignored);
    removeFolder(join(checkout.folder, path));
    return [`${replacedText(path)}: ${isKept ? `it is kept on \`${ignored}\`, ` : ""}the folder is restored`];
  } catch (error) {
    if (!(error instanceof CheckoutFault)) throw error;
    return [`${replacedText(path)}, and it cannot be kept: ${error.message}`];
  }
}
