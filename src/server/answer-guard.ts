import { deny } from "../core/rules/verdict.ts";
import { readJsonBytes } from "../core/text/read-json.ts";
import { field, isObject } from "../core/values/fields.ts";
import { rawAnswer, rawStart, readRawRequest } from "../guard/transport/raw-form.ts";
import { type GuardEndpoint, guardVariables } from "../guard/world/guard-endpoint.ts";
import { protocolVersion } from "./protocol.ts";

/** Undefined if the request is not for the guard. */
export function guardAnswer(guard: GuardEndpoint, bytes: Uint8Array): Promise<string> | undefined {
  if (startsWith(bytes, rawStart)) return answerRaw(guard, bytes);
  const document = readJsonBytes(bytes);
  const client = field(document, "guard");
  if (typeof client !== "string" || field(document, "operation") !== undefined) return undefined;
  return answerDocument(guard, client, document);
}

async function answerRaw(guard: GuardEndpoint, bytes: Uint8Array): Promise<string> {
  const request = readRawRequest(bytes);
  if (request === undefined)
    return JSON.stringify(deny("R-IN-001", "the guard request has no empty line before its payload"));
  return rawAnswer(await guard(request.client, request.payload, request.env));
}

async function answerDocument(guard: GuardEndpoint, client: string, document: unknown): Promise<string> {
  if (field(document, "version") !== protocolVersion)
    return JSON.stringify(
      deny(
        "R-IN-001",
        `this server supports only protocol version ${protocolVersion}: use the lockstep version that started it`,
      ),
    );
  const payload = new TextEncoder().encode(JSON.stringify(field(document, "payload") ?? null));
  return JSON.stringify(await guard(client, payload, variablesIn(field(document, "env"))));
}

function variablesIn(given: unknown): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of guardVariables) {
    const value = isObject(given) ? field(given, name) : undefined;
    if (typeof value === "string" && value !== "") env[name] = value;
  }
  return env;
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, text.length)).equals(
    Buffer.from(text),
  );
}
