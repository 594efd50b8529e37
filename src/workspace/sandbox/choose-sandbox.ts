import { findBubblewrap } from "./find-bubblewrap.ts";
import { noSandbox } from "./none.ts";
import type { Sandbox } from "./sandbox.ts";

/** `missing`: why no sandbox is available although one was requested. */
type SandboxChoice = { readonly sandbox: Sandbox; readonly missing?: string } | { readonly error: string };

const thisMachine = () => ({ platform: process.platform, path: process.env.PATH ?? "" });

/** `strict` uses the same sandbox as `auto`; the caller adds read-only mounts to it. */
export async function chooseSandbox(
  mode: "auto" | "required" | "strict" | "off",
  machine = thisMachine(),
): Promise<SandboxChoice> {
  if (mode === "off") return { sandbox: noSandbox() };
  const found = await findBubblewrap(machine);
  if ("sandbox" in found) return { sandbox: found.sandbox };
  if (mode === "required")
    return { error: `\`sandbox: required\`, but no sandbox is available: ${found.missing}` };
  return { sandbox: noSandbox(), missing: found.missing };
}
