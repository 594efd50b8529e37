/** GitHub's command line program; undefined if it is not installed. `last` is the last line that it printed. */
export type Gh = (
  words: readonly string[],
  input: string,
) => Promise<{ readonly exit: number | null; readonly last: string } | undefined>;

export interface PullRequest {
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

export type Opened =
  | { readonly url: string | null; readonly created: boolean }
  | { readonly error: string }
  | { readonly missing: true };

/** Finds the open pull request of a pushed branch, or creates one. */
export async function openPullRequest(gh: Gh, { branch, base, title, body }: PullRequest): Promise<Opened> {
  const open = 'select(.state == "OPEN").url';
  const found = await gh(["pr", "view", branch, "--json", "url,state", "--jq", open], "");
  if (found === undefined) return { missing: true };
  const known = found.exit === 0 ? urlIn(found.last) : null;
  if (known !== null) return { url: known, created: false };
  const words = ["pr", "create", "--base", base, "--head", branch, "--title", title, "--body-file", "-"];
  const made = await gh(words, body);
  if (made?.exit !== 0) return { error: `\`gh pr create\` failed: ${made?.last ?? "`gh` was not found"}` };
  return { url: urlIn(made.last), created: true };
}

function urlIn(line: string): string | null {
  return /https?:\/\/\S+/.exec(line)?.[0] ?? null;
}
