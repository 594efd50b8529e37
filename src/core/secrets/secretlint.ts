/** The engine and its preset together, in a module of their own so that they are loaded only when needed. */
export { lintSource } from "@secretlint/core";
export { rules } from "@secretlint/secretlint-rule-preset-recommend";
