import { resolveDots } from "../paths/locate.ts";
import type { Machine } from "./machine.ts";
import { concat, known, literal, type Text } from "./text.ts";

/** The absolute path of a text, relative to a folder, with `..` kept; undefined if unknown. */
export function absolutePath(text: Text, cwd: string | undefined): string | undefined {
  const path = known(text);
  if (path === undefined) return undefined;
  if (path.startsWith("/")) return path;
  return cwd === undefined ? undefined : `${cwd}/${path}`;
}

/** The folder that `cd` would change to. Like shells, it resolves `..` by name. */
export function folderFrom(text: Text, cwd: string | undefined): string | undefined {
  const path = absolutePath(text, cwd);
  return path === undefined ? undefined : resolveDots(path);
}

/** The folder that a program, or `cd -P`, would change to: `..` after a link is the parent of the link's target. */
export function enteredFolder(
  text: Text,
  cwd: string | undefined,
  { context: { disk }, report }: Pick<Machine, "context" | "report">,
): string | undefined {
  const path = absolutePath(text, cwd);
  if (path === undefined || disk === undefined || !/\/\.\.(?:\/|$)/.test(path)) return folderFrom(text, cwd);
  // Links and moves of the command itself cannot be resolved yet.
  return report.makesLinks || report.removes ? undefined : disk.realPath(path);
}

/** The text as an absolute path, if the folder is known. */
export function absoluteText(text: Text, cwd: string | undefined): Text {
  const first = text[0];
  if (first?.kind === "literal" && first.text.startsWith("/")) return text;
  return cwd === undefined ? text : concat(literal(`${cwd}/`), text);
}

/** Standard input under any of its names, or another descriptor. */
export function deviceOf(path: string): "input" | "descriptor" | undefined {
  if (path === "-") return "input";
  if (!path.startsWith("/")) return undefined;
  const plain = resolveDots(path);
  if (/^\/(?:dev\/(?:stdin|fd\/0)|proc\/(?:self|thread-self)\/fd\/0)$/.test(plain)) return "input";
  return /^\/(?:dev|proc\/[^/]+)\/fd\//.test(plain) ? "descriptor" : undefined;
}
