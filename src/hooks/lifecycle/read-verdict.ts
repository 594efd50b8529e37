import type { Details } from "../../core/rules/verdict.ts";
import { isObject } from "../../core/values/fields.ts";

export interface ReadVerdict {
  readonly allow: boolean;
  readonly reason: string;
  readonly details: Details;
  readonly prompt: string | undefined;
}

const form =
  'print {"allow":true,"code":"OK","reason":"…"} or {"allow":false,"code":"…","reason":"…","details":{}}';

/** What a program answered. Only a whole and unambiguous allow is one. */
export function readVerdict(bytes: Uint8Array): ReadVerdict | { readonly error: string } {
  const document = parse(bytes);
  if (document === undefined) return { error: `its output is not one JSON document: ${form}` };
  const { allow, code, reason, details = {} } = document;
  const fits = typeof code === "string" && typeof reason === "string" && isObject(details);
  if (!fits || typeof allow !== "boolean" || allow !== (code === "OK"))
    return { error: `its document is no verdict: ${form}` };
  const { remediation_prompt: prompt } = details;
  return { allow, reason, details, prompt: typeof prompt === "string" ? prompt : undefined };
}

function parse(bytes: Uint8Array): Details | undefined {
  try {
    const document: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isObject(document) ? document : undefined;
  } catch {
    return undefined; // what it is instead may hold anything, and is not repeated
  }
}
