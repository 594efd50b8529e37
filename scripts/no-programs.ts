/** Replaces `node:child_process` in commander, which uses it for subcommands that are programs of their own. */

// biome-ignore lint/style/noDefaultExport: commander imports it
export default {};
