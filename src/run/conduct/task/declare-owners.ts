import { checkBatch, declarationYaml, declareBatch } from "../../../core/plan/batch-declaration.ts";
import type { RunContext, RunTask } from "../../attempt/run-context.ts";

/** Records which agent owns which paths before a batch begins, and checks that no two overlap (S1). */
export function declareOwners({ engine, remember }: RunContext, tasks: readonly RunTask[]): void {
  const id = `BATCH-${new Date(engine.clock.now().wallMs).toISOString().replace(/[-:.]/g, "")}`;
  const owners = tasks.map(({ agent, plan }) => ({ agent, lockScope: plan.lock_scope }));
  const declaration = declareBatch(id, owners);
  const verdict = checkBatch(declaration, engine.world);
  if (!verdict.allow) throw new Error(`batch ${id} is invalid: ${verdict.reason}`);
  remember("activeContext.md", `\`\`\`yaml\n${declarationYaml(declaration)}\`\`\``);
}
