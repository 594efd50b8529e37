import { setFlagsFromString } from "node:v8";

/**
 * For what runs for hours beside agents and their tools: V8 would rather let garbage lie until memory is scarce, and
 * starting a program takes the longer the larger the process is that starts it.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=30");
}
