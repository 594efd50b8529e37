import type { z } from "zod";
import {
  onLockUpdate,
  preCompact,
  preComplete,
  preDispatch,
  preExecution,
  preWrite,
  watchdogTick,
} from "./payloads.ts";
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
  verdict,
} as const satisfies Record<string, z.ZodType>;
