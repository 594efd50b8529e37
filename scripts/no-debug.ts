/** Stands in for the `debug` package, which secretlint logs through and nobody reads here. */
const silent = () => () => {};

// biome-ignore lint/style/noDefaultExport: the package has one
export default silent;
