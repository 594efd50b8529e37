import type { NativeAnswer } from "../../contract/tool-call.ts";
import { guardVariables } from "../world/guard-endpoint.ts";

/**
 * A format that a shell can send and read without another program. The request is a line `guard/1 CLIENT`, one line
 * `NAME=value` for each variable, an empty line, and the payload to the end. The answer is one text in four parts.
 */
export const rawStart = "guard/1 ";
const answerStart = "lockstep/1 ";
const answerEnd = "end";
const between = "@@";

export interface RawRequest {
  readonly client: string;
  readonly env: Readonly<Record<string, string>>;
  readonly payload: Uint8Array;
}

export function rawRequest({ client, env, payload }: RawRequest): Buffer {
  const lines = guardVariables.map((name) => `${name}=${(env[name] ?? "").replaceAll("\n", " ")}\n`);
  return Buffer.concat([Buffer.from(`${rawStart}${client}\n${lines.join("")}\n`), payload]);
}

/** Undefined if there is no empty line: then a hook did not send it. */
export function readRawRequest(bytes: Uint8Array): RawRequest | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.indexOf("\n\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = buffer.toString("utf8", 0, end).split("\n");
  const env: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf("=");
    const name = guardVariables.find((known) => known === line.slice(0, at));
    if (name !== undefined && line.length > at + 1) env[name] = line.slice(at + 1);
  }
  return { client: first.slice(rawStart.length), env, payload: buffer.subarray(end + 2) };
}

/** Escapes the separator within the parts. In JSON it can only be inside a string. */
export function rawAnswer({ exit, stdout, stderr }: NativeAnswer): string {
  const document = stdout
    .trim()
    .replaceAll("\n", " ")
    .replace(/@(?=@)/g, "\\u0040");
  const parts = [`${answerStart}${exit}`, document, apart(stderr.trim()), answerEnd];
  return parts.join(between);
}

/** An `@` at the end would form a separator with the following text. */
function apart(text: string): string {
  return text.replace(/@(?=@|$)/g, "@ ");
}

/** No part contains the separator, so the end mark is unambiguous. */
export function isWhole(text: string): boolean {
  return text.trimEnd().endsWith(between + answerEnd);
}

/** Undefined if the answer is incomplete or invalid. */
export function readRawAnswer(text: string): NativeAnswer | undefined {
  const [head = "", stdout = "", stderr = "", end, ...more] = text.trim().split(between);
  const [, exit] = /^lockstep\/1 ([02])$/.exec(head) ?? [];
  if (exit === undefined || end !== answerEnd || more.length > 0) return undefined;
  return { exit: Number(exit), stdout, stderr };
}
