import { type Deny, deny } from "../../core/rules/verdict.ts";
import { maskDocument } from "../../core/secrets/mask-document.ts";
import { field } from "../../core/values/fields.ts";

/** Masks an agent's document before any decision, so that decisions use exactly what is stored. */
export async function maskedInput(document: unknown): Promise<unknown> {
  try {
    return await maskDocument(document);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // nested too deeply to be a valid document
    throw error;
  }
}

const nameFields = ["task_id", "agent", "depends_on", "dependencies", "uses"];
const pathFields = ["lock_scope", "forbidden_scope", "worklog_path", "agent", "depends_on", "uses"];

/** Masks a packet. Names and paths decide what is locked, so they are accepted unchanged or not at all. */
export async function maskedPacket(packet: unknown): Promise<{ readonly packet: unknown } | Deny> {
  const masked = await maskedInput(packet);
  const namesOf = (of: unknown) => [
    ...nameFields.map((name) => field(of, name)),
    ...pathFields.map((name) => field(field(of, "assignment"), name)),
  ];
  return JSON.stringify(namesOf(packet)) === JSON.stringify(namesOf(masked))
    ? { packet: masked }
    : looksSecret();
}

export async function findSecretPath(paths: readonly string[]): Promise<Deny | undefined> {
  const masked = await maskDocument(paths);
  return paths.every((path, index) => path === masked[index]) ? undefined : looksSecret();
}

function looksSecret(): Deny {
  return deny(
    "R-IN-001",
    "a name or a path looks like a secret: choose another one, and rotate it if it was real",
  );
}
