import { foldPath } from "./fold.ts";
import type { Place } from "./place.ts";

/** A path relative to the project root, or outside of it. */
export type Located =
  | { readonly where: "inside"; readonly path: string; readonly absolute: string }
  | { readonly where: "outside"; readonly path: string; readonly absolute: string | undefined }
  | { readonly where: "invalid"; readonly why: string };

const pathLengthMax = 4096;
const segmentsMax = 256;
const nameLengthMax = 255;

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const controlCharacters = /[\u0000-\u001f\u007f]/;
const drive = /^[A-Za-z]:/;
const ownFolder = /^\/proc\/(?:self|thread-self)\/cwd(?=\/|$)/;
const ownRoot = /^\/proc\/(?:self|thread-self)\/root(?=\/|$)/;
const fileUrl = /^file:\/\/(?:localhost)?(?=\/)/i;

/** Reads any spelling of a path. `..` is resolved by name; links are not followed here. */
export function locate(spelled: string, place: Place): Located {
  const invalid = whyInvalid(spelled);
  if (invalid !== undefined) return { where: "invalid", why: invalid };
  const absolute = toAbsolute(spelled, place);
  if (absolute === undefined) return { where: "outside", path: spelled, absolute: undefined };
  const path = insideRoot(resolveDots(absolute), place);
  return path === undefined
    ? { where: "outside", path: resolveDots(absolute), absolute }
    : { where: "inside", path, absolute };
}

/** Locates a path with links resolved: every check runs on the path as written and on the real path. */
export function locateReal(realPath: string, place: Place): Located {
  const path = insideRoot(resolveDots(realPath), place);
  return path === undefined
    ? { where: "outside", path: realPath, absolute: realPath }
    : { where: "inside", path, absolute: realPath };
}

/** `a//b/./c/../d/` → `/a/b/d`; never climbs above `/`. */
export function resolveDots(absolute: string): string {
  const out: string[] = [];
  for (const segment of absolute.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") out.pop();
    else out.push(segment);
  }
  return `/${out.join("/")}`;
}

function whyInvalid(spelled: string): string | undefined {
  if (spelled.trim() === "") return "the path is blank";
  if (controlCharacters.test(spelled)) return "the path contains control characters";
  if (spelled.length > pathLengthMax) return `the path is longer than ${pathLengthMax} characters`;
  const segments = spelled.split(/[/\\]/);
  if (segments.length > segmentsMax) return `the path has more than ${segmentsMax} segments`;
  if (segments.some((segment) => segment.length > nameLengthMax))
    return `the path has a name of more than ${nameLengthMax} characters`;
  return undefined;
}

function toAbsolute(spelled: string, place: Place): string | undefined {
  const text = decodeFileUrl(spelled)?.replaceAll("\\", "/");
  if (text === undefined || drive.test(text)) return undefined;
  if (text.startsWith("$") || text.startsWith("%")) return undefined;
  if (text.startsWith("~")) return fromHome(text, place.home);
  const cwd = place.cwd ?? place.root;
  if (!text.startsWith("/")) return `${cwd}/${text}`;
  return text.replace(ownFolder, () => cwd).replace(ownRoot, "") || "/";
}

function fromHome(text: string, home: string | undefined): string | undefined {
  if (home === undefined || (text !== "~" && !text.startsWith("~/"))) return undefined;
  return home + text.slice(1);
}

function decodeFileUrl(spelled: string): string | undefined {
  if (!/^file:/i.test(spelled)) return spelled;
  const path = spelled.replace(fileUrl, "");
  if (path === spelled) return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** The innermost checkout that contains the path decides: a worktree may be inside the project. */
function insideRoot(absolute: string, place: Place): string | undefined {
  const own = place.realRoot === undefined ? [place.root] : [place.root, place.realRoot];
  const roots = place.checkouts === undefined ? own : [...own, ...place.checkouts];
  let found: { root: string; path: string } | undefined;
  for (const root of roots) {
    const path = below(absolute, root === "/" ? "" : root, place);
    if (path !== undefined && (found === undefined || root.length > found.root.length))
      found = { root, path };
  }
  return found?.path;
}

function below(absolute: string, root: string, place: Place): string | undefined {
  const same = (a: string, b: string) => a === b || (place.folds === true && foldPath(a) === foldPath(b));
  const rootSegments = root.split("/").length;
  const segments = absolute === "/" ? [""] : absolute.split("/");
  if (!same(segments.slice(0, rootSegments).join("/"), root)) return undefined;
  return segments.slice(rootSegments).join("/");
}
