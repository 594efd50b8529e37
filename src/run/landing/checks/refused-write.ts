import type { CheckRun } from "../../../core/proof/check-record.ts";
import { readOnlyWrite } from "../../../core/proof/read-only-write.ts";
import type { Prover } from "../../../proof/prover.ts";

/** Why a check fails on the base that may pass elsewhere: the sandbox refused a write. Undefined for other failures. */
export function refusedWrite(
  { isolation }: Pick<Prover, "isolation">,
  { command, base, run }: { readonly command: string; readonly base: string; readonly run: CheckRun },
): string | undefined {
  if (isolation.sandbox === "none") return undefined;
  const write = readOnlyWrite(`${run.excerpt ?? ""}\n${run.tail}`);
  if (write === undefined) return undefined;
  const where = write.place === null ? "outside the checkout" : `to ${write.place}, outside the checkout`;
  return `\`${command}\` fails on ${base} in the sandbox: it writes ${where}, where everything is read-only: let it write below $TMPDIR (such as with HOME=$TMPDIR), list its folder in your home under \`workspace.home\`, or name another command in \`checks.default\``;
}
