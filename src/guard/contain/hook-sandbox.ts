import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { shellWord } from "../../core/text/quoted.ts";
import type { HooksOf } from "../../workspace/git/active-hooks.ts";
import { safeSearchPath } from "../../workspace/process/search-path.ts";
import type { SandboxPolicy } from "../../workspace/sandbox/sandbox.ts";

/**
 * Git itself runs outside the sandbox, because it writes its own folder; its hooks run inside. Many hooks stage files or
 * change the commit message, so they get a git folder of their own, with the repository's settings, refs and objects
 * read-only in it. After the hook, its permitted changes are copied back: the index, the message and new objects.
 */
export interface HookPlaces {
  readonly hooks: HooksOf;
  /** The checkout that git works in, its git folder, and the one that all checkouts share. */
  readonly tree: string;
  readonly gitFolder: string;
  readonly commonFolder: string;
  /** The git folder that the hooks see. */
  readonly copy: string;
}

/** The files of a git folder that a hook may change. */
const changeable = ["index", "COMMIT_EDITMSG"];
const outsideObjects = "objects-outside";

/** The sandbox of an agent's programs, with a different git folder. */
export function hookPolicy(
  policy: SandboxPolicy,
  { tree, gitFolder, commonFolder, copy }: HookPlaces,
): SandboxPolicy {
  const own = [commonFolder, join(commonFolder, "lockstep"), join(tree, ".git")];
  mkdirSync(copy, { recursive: true, mode: 0o700 });
  return {
    ...policy,
    readOnly: policy.readOnly.filter((path) => path !== commonFolder && path !== own[2]),
    hidden: policy.hidden.filter((path) => !own.includes(path)),
    placed: [...policy.placed, { at: commonFolder, from: copy, shown: shownIn(commonFolder, gitFolder) }],
  };
}

/** Additional mount options: where the copied git folder finds the objects of the repository. */
export function objectWords({ commonFolder }: HookPlaces): readonly string[] {
  return ["--ro-bind", join(commonFolder, "objects"), join(commonFolder, outsideObjects)];
}

function shownIn(commonFolder: string, gitFolder: string): readonly string[] {
  const apart = ["objects", "refs", "logs", "lockstep"];
  const below = (folder: string, skipped: readonly string[] = []) =>
    entriesOf(join(commonFolder, folder))
      .filter((name) => !skipped.includes(name) && !changeable.includes(name) && !name.endsWith(".lock"))
      .map((name) => join(folder, name));
  const own = relative(commonFolder, gitFolder);
  const refs = below("refs", ["stash"]);
  if (own === "") return [...below("", apart), ...refs];
  const others = below("worktrees").filter((path) => path !== own);
  return [...below("", [...apart, "worktrees"]), ...refs, ...others, ...below(own, ["logs"])];
}

function entriesOf(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map(({ name }) => name);
}

/** Writes the hook scripts that git runs. Each starts the real hook in the sandbox. */
export function placeHooks(folder: string, exec: string, places: HookPlaces): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "run"), hookText(exec, places), { mode: 0o700 });
  for (const name of places.hooks.names) symlinkSync("run", join(folder, name));
}

function hookText(exec: string, { hooks, gitFolder, commonFolder, copy }: HookPlaces): string {
  const below = relative(commonFolder, gitFolder);
  return `#!/bin/sh
# Written by Lockstep for one tool call: runs a git hook that can write only inside the agent's lock.
hook=${shellWord(hooks.folder)}/\${0##*/}
copy=${shellWord(copy)}
own=${shellWord(gitFolder)}
inside=${shellWord(join(copy, below))}
index=\${GIT_INDEX_FILE:-$own/index}
message=$own/COMMIT_EDITMSG
# A folder of the project may be first on PATH.
tool() { (PATH=${shellWord(toolPath())} && exec "$@"); }

tool rm -rf "$copy"
tool mkdir -p "$copy/objects/info" "$copy/refs" "$inside" || exit 125
echo ../${outsideObjects} >"$copy/objects/info/alternates"
for file in "$index" "$message"; do
  [ ! -f "$file" ] || tool cp -p "$file" "$inside/\${file##*/}" || exit 125
done
${exec} $$ "$hook" "$@"
code=$?
objects=$(cd "$copy/objects" && tool find . -path './??/*' -type f)
[ -z "$objects" ] || printf '%s\\n' "$objects" | tool tr -d ./ |
  GIT_ALTERNATE_OBJECT_DIRECTORIES=$copy/objects tool git pack-objects -q --stdout | tool git unpack-objects -q
for file in "$index" "$message"; do
  new=$inside/\${file##*/}
  [ -L "$new" ] || [ ! -f "$new" ] || tool cmp -s "$new" "$file" ||
    { tool cp "$new" "$file.lockstep" && tool mv -f "$file.lockstep" "$file"; }
done
tool rm -rf "$copy"
exit $code
`;
}

/** Without folders of the project, in which agents' programs may have put anything. */
export function toolPath(): string {
  return [safeSearchPath(), "/usr/bin", "/bin"].join(":");
}
