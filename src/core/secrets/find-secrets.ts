import { findAssignments } from "./find-assignments.ts";
import { findPrivateKeys } from "./find-private-keys.ts";
import { mayHoldSecret } from "./may-hold-secret.ts";
import { mergeFindings } from "./merge-findings.ts";
import { findByOwnRules } from "./own-rules.ts";
import { findByPreset } from "./preset-rules.ts";
import type { SecretFinding } from "./secret-finding.ts";

export type { SecretFinding } from "./secret-finding.ts";

/**
 * Finds likely secrets in a text; the result is sorted and has no overlaps.
 *
 * Not covered: secrets split over several texts, secrets inside base64 of other text (a PEM key in base64 is
 * found), secrets with zero-width characters, and passwords made of plain words only.
 *
 * Rejects if the engine fails: callers must treat that as "not checked", not as "clean".
 */
export async function findSecrets(text: string): Promise<SecretFinding[]> {
  const own = findByOwnRules(text);
  const keys = findPrivateKeys(text);
  const assignments = findAssignments(text);
  const preset = mayHoldSecret(text) ? await findByPreset(text) : [];
  return mergeFindings([own, keys, preset, assignments]);
}
