import { payloadBytesMax } from "./run-point.ts";

/** Without these limits, the parser takes minutes for a mebibyte of nested keys. */
const bounds = { depthMax: 64, tokensMax: 200_000 };

/** Reads what an agent submits: JSON, or else YAML. If the text is a single fenced block, its content is read. */
export async function readSubmittedText(text: string): Promise<{ document: unknown } | { error: string }> {
  if (text.length > payloadBytesMax || Buffer.byteLength(text) > payloadBytesMax)
    return { error: `the document is longer than ${payloadBytesMax} bytes: send less` };
  const content = unfenced(text.replace(/^\uFEFF/, ""));
  if (content.trim() === "") return { error: "the document is empty" };
  try {
    return { document: JSON.parse(content) };
  } catch {
    const { readPlainYaml } = await import("../core/yaml/read-yaml.ts");
    const read = readPlainYaml(await import("yaml"), content, bounds);
    if ("value" in read) return { document: read.value };
    const { line, column, message } = read.fault;
    return { error: `the document is neither JSON nor YAML: line ${line}, column ${column}: ${message}` };
  }
}

const openingFence = /^\s{0,1000}```(?:json|ya?ml)?[ \t]{0,1000}\r?\n/i;

/** The opening line becomes empty, so that line numbers in errors match the text. */
function unfenced(text: string): string {
  const opening = openingFence.exec(text)?.[0];
  const end = text.trimEnd();
  const closing = end.lastIndexOf("\n");
  if (opening === undefined || closing < opening.length - 1 || end.slice(closing).trim() !== "```")
    return text;
  return opening.replace(/[^\n]/g, "") + text.slice(opening.length, closing + 1);
}
