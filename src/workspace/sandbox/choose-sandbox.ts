import { findBubblewrap } from "./find-bubblewrap.ts";
import { noSandbox } from "./none.ts";
import type { Sandbox } from "./sandbox.ts";

/** `missing`: why nothing is enforced although it was wished for. */
type SandboxChoice = { readonly sandbox: Sandbox; readonly missing?: string } | { readonly error: string };

const thisMachine = () => ({ platform: process.platform, path: process.env.PATH ?? "" });

/** `strict` needs no other sandbox than `auto`: its caller asks it for more. */
export async function chooseSandbox(
  mode: "auto" | "required" | "strict" | "off",
  machine = thisMachine(),
): Promise<SandboxChoice> {
  if (mode === "off") return { sandbox: noSandbox() };
  const found = await findBubblewrap(machine);
  if ("sandbox" in found) return { sandbox: found.sandbox };
  if (mode === "required") return { error: `\`sandbox: required\`, but there is none: ${found.missing}` };
  return { sandbox: noSandbox(), missing: found.missing };
}
