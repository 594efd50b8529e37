import { createPr } from "./create-pr.ts";
import { gatekeeper } from "./gatekeeper.ts";
import { type HookContext, type HookResult, skip } from "./hook.ts";
import type { HookPorts } from "./hook-ports.ts";
import { rebaseOnMain } from "./rebase-on-main.ts";
import { runTests } from "./run-tests.ts";

export type BuiltinHook = (
  context: HookContext,
  ports: HookPorts,
  parameters: unknown,
) => Promise<HookResult>;

export const builtinHooks: ReadonlyMap<string, BuiltinHook> = new Map<string, BuiltinHook>([
  ["rebase_on_main", rebaseOnMain],
  ["create_pr", createPr],
  ["run_tests", runTests],
  ["gatekeeper", gatekeeper],
  // Names from octopoid's configuration.
  ["rebase_on_base", rebaseOnMain],
  ["merge_pr", async () => skip("Lockstep merges proven work itself, as `integrate` says")],
]);
