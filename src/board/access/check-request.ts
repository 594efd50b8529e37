import type { IncomingHttpHeaders } from "node:http";

export interface Origin {
  /** `http://127.0.0.1:24817`; the first one is the board's own address. */
  readonly origins: readonly string[];
  /** The values of `Host` that belong to them. */
  readonly hosts: readonly string[];
}

/** The names of a loopback server: a page that was rebound to this address has another one. */
export function loopbackOrigin(port: number): Origin {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  return { hosts, origins: hosts.map((host) => `http://${host}`) };
}

export interface Refused {
  readonly status: 400 | 403 | 405 | 415;
  readonly why: string;
}

/** Checked before anything is routed: who asks, and from where. The token comes after this. */
export function checkRequest(
  { method = "", headers }: { readonly method?: string | undefined; readonly headers: IncomingHttpHeaders },
  { hosts, origins }: Origin,
): Refused | undefined {
  if (headers.host === undefined || !hosts.includes(headers.host))
    return {
      status: 403,
      why: "the Host header does not name the board: open the address that `lockstep board` prints",
    };
  const site = headers["sec-fetch-site"];
  const own = origins[hosts.indexOf(headers.host)];
  const { origin } = headers;
  if (method === "GET" || method === "HEAD") {
    // A person may follow a link to the page from anywhere; a script of another site may not read.
    if (origin !== undefined && origin !== own)
      return { status: 403, why: "the request comes from another site" };
    const isVisit = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
    if (site === undefined || site === "same-origin" || isVisit) return undefined;
    return site === "none" ? undefined : { status: 403, why: "the request comes from another site" };
  }
  if (method !== "POST") return { status: 405, why: "only GET and POST are answered" };
  if (origin !== own) return { status: 403, why: "the Origin header does not name the board" };
  if (site !== undefined && site !== "same-origin")
    return { status: 403, why: "the request comes from another site" };
  if (!/^application\/json(?:;\s*charset=utf-8)?$/i.test(headers["content-type"] ?? ""))
    return { status: 415, why: "only JSON is accepted" };
  return undefined;
}
