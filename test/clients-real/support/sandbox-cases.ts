import type { GuardedCase } from "./guarded-client.ts";
export function sandboxCases(_given: GuardedCase): void {}
