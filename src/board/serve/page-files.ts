import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installFolder } from "../../workspace/process/install-folder.ts";

/** Script and style only from this server; no inline script, no frame, no other address. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Sent with everything. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
  "cache-control": "no-store",
};

interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** By their names in `dist`. */
const types = {
  "board.html": "text/html; charset=utf-8",
  "board.js": "text/javascript; charset=utf-8",
  "board.css": "text/css; charset=utf-8",
  "board.svg": "image/svg+xml",
} as const;

/** Every view has an address of its own, at which the same page is loaded. */
const views = /^\/(?:|needs|tasks|timeline|locks|landed|guard|cost|plan|task\/[\w-]+(?:\/[\w-]+)?)$/;

/** Finds the file at an address. All are read now, so that they stay those of one build. */
export function readPageFiles(): (path: string) => PageFile | undefined {
  const files = new Map(
    Object.entries(types).map(([name, type]): [string, PageFile] => [
      `/${name}`,
      { type, bytes: readFileSync(join(installFolder(), "dist", name)) },
    ]),
  );
  return (path) => files.get(views.test(path) ? "/board.html" : path);
}
