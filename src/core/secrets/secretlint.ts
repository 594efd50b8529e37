/** The engine and its preset, in a separate module so that they are loaded only when needed. */
export { lintSource } from "@secretlint/core";
export { rules } from "@secretlint/secretlint-rule-preset-recommend";
