import { setFlagsFromString } from "node:v8";

/**
 * For processes that run for hours next to agents and their tools. By default V8 collects garbage late, and the larger
 * a process is, the longer it takes to start another program from it.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=30");
}
