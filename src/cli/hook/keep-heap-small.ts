import { keepCompiledCode } from "./keep-compiled.ts";

/** Until then a process has started its work, and a short one has ended. */
const startMs = 10_000;

/**
 * For processes that run for hours next to agents and their tools. By default V8 collects garbage late, and the larger
 * a process is, the longer it takes to start another program from it. Not at once: V8 uses compiled code only with the
 * flags that it was compiled with, and a command loads its modules first.
 */
export function keepHeapSmall(): void {
  setTimeout(() => {
    keepCompiledCode(true);
    const { setFlagsFromString } = process.getBuiltinModule("node:v8");
    setFlagsFromString("--semi-space-growth-factor=1");
    setFlagsFromString("--heap-growing-percent=30");
  }, startMs).unref();
}
