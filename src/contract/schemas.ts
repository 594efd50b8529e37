import type { z } from "zod";
import { configSchema } from "./config.ts";
import { operationsDocument } from "./operation-schemas.ts";
import {
  onLockUpdate,
  preCompact,
  preComplete,
  preDispatch,
  preExecution,
  preWrite,
  watchdogTick,
} from "./payloads.ts";
import { planSchema } from "./plan.ts";
import { delegationOutput, errorReport, escalation } from "./reports.ts";
import { postExecution } from "./results.ts";
import { verdict } from "./verdict.ts";

/** Every published schema by its name. */
export const schemas = {
  "pre-dispatch": preDispatch,
  "pre-execution": preExecution,
  "pre-write": preWrite,
  "post-execution": postExecution,
  "pre-complete": preComplete,
  "on-lock-update": onLockUpdate,
  "watchdog-tick": watchdogTick,
  "pre-compact": preCompact,
  "delegation-output": delegationOutput,
  "error-report": errorReport,
  escalation,
  verdict,
  operations: operationsDocument,
  config: configSchema,
  plan: planSchema,
} as const satisfies Record<string, z.ZodType>;
