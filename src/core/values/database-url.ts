/** A URL of a database, `postgres://USER:PASSWORD@HOST:PORT/DATABASE?OPTIONS`. */
export interface DatabaseUrl {
  readonly hasPassword: boolean;
  /** For messages. */
  readonly place: string;
  /** The URL without any password, with which a connection can be made. */
  readonly bare: string;
}

/**
 * A password with `/`, `?` or `#` that is not percent-encoded ends the host early, and its rest would look like a path, an
 * option or a fragment, and be shown. The `@` after it tells.
 */
const form = /^postgres(?:ql)?:\/\/[^\s/?#]*(?:[/?][^\s#@]*)?$/;

const isSecret = (option: string) => /password/i.test(option);

/** Undefined for anything else, and for a URL that is not percent-encoded. */
export function readDatabaseUrl(text: string): DatabaseUrl | undefined {
  if (!form.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const secrets = [...url.searchParams.keys()].filter(isSecret);
  const hasPassword = url.password !== "" || secrets.length > 0;
  url.password = "";
  for (const name of secrets) url.searchParams.delete(name);
  const bare = url.href;
  url.search = "";
  return { hasPassword, place: url.href, bare };
}
