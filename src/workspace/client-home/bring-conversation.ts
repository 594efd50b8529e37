import { mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { replaceFile } from "../files/replace-file.ts";
import type { ConversationFile, ConversationName } from "./client-home.ts";
import { makePlain, readOwn, readPlain } from "./plain-files.ts";

const conversationBytesMax = 256 * 1024 * 1024;

export type Side = { readonly root: string; readonly whose: "person" | "agent" };

/**
 * Copies a conversation from one home to the other. A copy there that has continued on its own is not overwritten.
 * Returns why the conversation could not be copied.
 */
export function bringConversation(
  conversation: ConversationFile,
  name: ConversationName,
  { from, to }: { readonly from: Side; readonly to: Side },
): string | undefined {
  if (!isFileName(name.id)) return "its id is not a valid file name";
  const source = find(conversation, name, from);
  if (source === undefined)
    return find(conversation, name, to) === undefined ? "its client kept no record of it" : undefined;
  const content = readFrom(from, source);
  if (content === undefined)
    return `its record is not a regular file of at most ${conversationBytesMax} bytes`;
  if (from.whose === "agent" && !conversation.accepts(linesOf(content), name))
    return "its record belongs to another conversation or checkout";
  const folder = conversation.folder(to.root, name);
  const below = source.slice(conversation.folder(from.root, name).length + 1);
  const target = find(conversation, name, to) ?? join(folder, below);
  const known = readFrom(to, target);
  if (known !== undefined && !isBeginning(known, content)) return undefined;
  put(to, target, content);
  const mark = conversation.mark?.(name);
  if (mark !== undefined) put(to, join(folder, mark[0]), mark[1]);
  return undefined;
}

/** The path of the conversation's file, relative to the root. */
function find(conversation: ConversationFile, name: ConversationName, side: Side): string | undefined {
  const folder = conversation.folder(side.root, name);
  return matching(side, folder, conversation.file(name.id).split("/"))[0];
}

function matching(side: Side, folder: string, [segment = "", ...rest]: readonly string[]): readonly string[] {
  const pattern = new RegExp(`^${segment.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
  const paths = namesIn(side, folder)
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name));
  return rest.length === 0 ? paths : paths.flatMap((path) => matching(side, path, rest));
}

/** Follows links; `readFrom` refuses them when the file is read. */
function namesIn({ root }: Side, path: string): readonly string[] {
  const folder = join(root, path);
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}

function readFrom({ root, whose }: Side, path: string): Buffer | undefined {
  if (whose === "agent") return readPlain(root, path, conversationBytesMax);
  return readOwn(join(root, path), conversationBytesMax);
}

function put({ root, whose }: Side, path: string, content: string | Buffer): void {
  if (whose === "agent") makePlain(root, dirname(path));
  else mkdirSync(join(root, dirname(path)), { recursive: true, mode: 0o700 });
  replaceFile(join(root, path), content, { durable: true });
}

/** The records are append-only. */
function isBeginning(start: Buffer, whole: Buffer): boolean {
  return start.length <= whole.length && start.equals(whole.subarray(0, start.length));
}

function isFileName(id: string): boolean {
  return /^[A-Za-z0-9][\w-]*$/.test(id);
}

/** The parsed lines; undefined for a line that is not JSON. */
function linesOf(content: Buffer): readonly unknown[] {
  const lines = content.toString().split("\n");
  return lines.filter((line) => line.trim() !== "").map(parsed);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // the last line of a client that was killed
  }
}
