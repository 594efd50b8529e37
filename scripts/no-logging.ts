/** Replaces the two packages with which secretlint logs and measures. Lockstep does not use their output. */
const silent = () => () => {};

// biome-ignore lint/style/noDefaultExport: `debug` has one
export default silent;

/** Of `@secretlint/profiler`. */
export const secretLintProfiler = { mark: () => {}, setEnabled: () => {} };
