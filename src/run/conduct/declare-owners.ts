import { checkBatch, declarationYaml, declareBatch } from "../../core/plan/batch-declaration.ts";
import type { RunContext, RunTask } from "../attempt/run-context.ts";

/** S1: who owns what is written down before a batch begins, and nobody owns what another one does. */
export function declareOwners({ engine, remember }: RunContext, tasks: readonly RunTask[]): void {
  const id = `BATCH-${new Date(engine.clock.now().wallMs).toISOString().replace(/[-:.]/g, "")}`;
  const owners = tasks.map(({ agent, plan }) => ({ agent, lockScope: plan.lock_scope }));
  const declaration = declareBatch(id, owners);
  const verdict = checkBatch(declaration, engine.world);
  if (!verdict.allow) throw new Error(`batch ${id} is no batch: ${verdict.reason}`);
  remember("activeContext.md", `\`\`\`yaml\n${declarationYaml(declaration)}\`\`\``);
}
