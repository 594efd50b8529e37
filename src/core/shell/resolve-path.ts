import { resolveDots } from "../paths/locate.ts";
import type { Machine } from "./machine.ts";
import { concat, known, literal, type Text } from "./text.ts";

/** The absolute path that a text spells from a folder, with `..` left in; undefined where unknown. */
export function absolutePath(text: Text, cwd: string | undefined): string | undefined {
  const path = known(text);
  if (path === undefined) return undefined;
  if (path.startsWith("/")) return path;
  return cwd === undefined ? undefined : `${cwd}/${path}`;
}

/** The folder that `cd` would change to: by name, as shells do it. */
export function folderFrom(text: Text, cwd: string | undefined): string | undefined {
  const path = absolutePath(text, cwd);
  return path === undefined ? undefined : resolveDots(path);
}

/** The folder that a program, or `cd -P`, would change to: `..` behind a link is the parent of what it leads to. */
export function enteredFolder(
  text: Text,
  cwd: string | undefined,
  { context: { disk }, report }: Pick<Machine, "context" | "report">,
): string | undefined {
  const path = absolutePath(text, cwd);
  if (path === undefined || disk === undefined || !/\/\.\.(?:\/|$)/.test(path)) return folderFrom(text, cwd);
  // What the command itself links or moves cannot be resolved yet.
  return report.makesLinks || report.removes ? undefined : disk.realPath(path);
}

/** The text as an absolute one, where the folder is known. */
export function absoluteText(text: Text, cwd: string | undefined): Text {
  const first = text[0];
  if (first?.kind === "literal" && first.text.startsWith("/")) return text;
  return cwd === undefined ? text : concat(literal(`${cwd}/`), text);
}

/** Standard input by any of its names, or another descriptor. */
export function deviceOf(path: string): "input" | "descriptor" | undefined {
  if (path === "-") return "input";
  if (!path.startsWith("/")) return undefined;
  const plain = resolveDots(path);
  if (/^\/(?:dev\/(?:stdin|fd\/0)|proc\/(?:self|thread-self)\/fd\/0)$/.test(plain)) return "input";
  return /^\/(?:dev|proc\/[^/]+)\/fd\//.test(plain) ? "descriptor" : undefined;
}
