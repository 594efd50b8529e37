/** Replaces the packages that secretlint logs and measures with. Lockstep does not use their output. */
const silent = () => () => {};

// biome-ignore lint/style/noDefaultExport: `debug` has one
export default silent;

/** Of `@secretlint/profiler`. */
export const secretLintProfiler = { mark: () => {}, setEnabled: () => {} };
