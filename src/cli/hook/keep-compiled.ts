/** Given by `bin/run-compiled.cjs`, which started this program; undefined in a thread. */
declare const keepCompiled: ((isWhole: boolean) => void) | undefined;

/**
 * Keeps what V8 compiled so far for the next process with the same command. A call that was refused or only asked for
 * help compiled a part: its result is replaced by that of a whole one.
 */
export function keepCompiledCode(isWhole: boolean): void {
  if (typeof keepCompiled !== "undefined") keepCompiled(isWhole);
}
