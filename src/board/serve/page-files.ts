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

const files: Readonly<Record<string, string>> = {
  "/board.js": "text/javascript; charset=utf-8",
  "/board.css": "text/css; charset=utf-8",
  "/icon.svg": "image/svg+xml",
};

/** Every view has an address of its own, at which the same page is loaded. */
const views = /^\/(?:|needs|tasks|timeline|locks|landed|guard|cost|plan|task\/[\w-]+(?:\/[\w-]+)?)$/;

const known = new Map<string, Buffer>();

/** Undefined if there is no such file. */
export function pageFile(path: string): PageFile | undefined {
  const type = files[path];
  if (type !== undefined) return { type, bytes: read(path.slice(1)) };
  return views.test(path) ? { type: "text/html; charset=utf-8", bytes: read("index.html") } : undefined;
}

function read(name: string): Buffer {
  const found = known.get(name) ?? readFileSync(join(installFolder(), "dist", "board", name));
  known.set(name, found);
  return found;
}
