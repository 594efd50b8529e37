import { failure, type HookContext, type HookResult, success } from "./hook.ts";
import type { HookPorts } from "./hook-ports.ts";

/** Asks for a review under each name; the first refusal ends the hook. */
export async function gatekeeper(
  _context: HookContext,
  { review }: Pick<HookPorts, "review">,
  names: unknown,
): Promise<HookResult> {
  if (!isNames(names)) return failure("`gatekeeper` has nothing to review: write { gatekeeper: [qa] }");
  const approvals: Record<string, string> = {};
  for (const name of names) {
    const { approved, reason, findings = [] } = await review(name);
    if (!approved)
      return failure(`review \`${name}\` did not approve: ${reason}`, {
        context: { refused_by: name, findings },
      });
    approvals[name] = reason;
  }
  return success(`approved: ${names.join(", ")}`, { approvals });
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === "string");
}
