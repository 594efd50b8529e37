import { type Deny, deny } from "../../../core/rules/verdict.ts";
import { quoted } from "../../../core/text/quoted.ts";
import type { Engine } from "../../../engine/change/engine.ts";
import { readPatch } from "../../../workspace/git/read-patch.ts";

/** A secret in the lines that a change adds. Once merged, it stays in the history. */
export async function findLeak(
  { findSecrets }: Pick<Engine, "findSecrets">,
  { root, from, to }: { readonly root: string; readonly from: string; readonly to: string },
): Promise<Deny | undefined> {
  const text = await readPatch(root, from, to);
  for (const { path, added } of addedLines(text)) {
    const [found] = await findSecrets(added);
    if (found !== undefined)
      return deny(
        "R-PO-004",
        `${quoted(path)} contains a secret (${found.rule}): remove it and read it from the environment; if it is not a secret, a person can land the branch`,
        { path, rule: found.rule },
      );
  }
  return undefined;
}

function addedLines(diff: string): readonly { readonly path: string; readonly added: string }[] {
  return diff.split(/^diff --git /m).flatMap((part) => {
    const [head = "", ...hunks] = part.split(/^@@ [^\n]*\n/m);
    const path = /^\+\+\+ "?b\/(.*?)"?$/m.exec(head)?.[1];
    const added = hunks.join("").match(/^\+.*$/gm) ?? [];
    return path === undefined || added.length === 0
      ? []
      : [{ path, added: added.map((line) => line.slice(1)).join("\n") }];
  });
}
