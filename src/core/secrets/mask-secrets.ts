import { findSecrets } from "./find-secrets.ts";

/** The text with every secret replaced by `[secret: <rule>]`. Masking a masked text changes nothing. */
export async function maskSecrets(text: string): Promise<string> {
  const parts: string[] = [];
  let from = 0;
  for (const { rule, start, end } of await findSecrets(text)) {
    parts.push(text.slice(from, start), `[secret: ${rule}]`);
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join("");
}
