import { expect, it } from "vitest";
import { listedGitOptions, readListed } from "../../scripts/listed-git-options.ts";
import { gitOptions } from "../../src/core/shell/programs/git/option-table.ts";
import { reliedOptions } from "../../src/core/shell/programs/git/options.ts";
import "../../src/core/shell/programs/git/git.ts";

/** Options of a newer git than that of the table, or of the diff family, which the subcommand itself does not list. */
const unlisted = new Set(
  [
    "am no-verify, clone bundle-uri, clone ref-format, clone revision, init ref-format, tag trailer",
    "config value, config comment, config url, config append, config all, cherry-pick no-verify, cherry-pick empty",
    "revert no-verify, revert empty, fetch stdin, format-patch output, format-patch description-file",
    "format-patch stat, format-patch unified, format-patch find-renames, difftool output, merge-file diff-algorithm",
    "archive format, archive prefix, archive add-file, archive add-virtual-file, archive mtime, grep max-count",
  ].flatMap((names) => names.split(", ")),
);

const namesOf = (options: readonly string[]) =>
  new Set(options.map((option) => option.replace(/[=!]+$/, "")));

const relied = [...reliedOptions()].flatMap(([command, names]) =>
  names.flatMap((name): [string, string][] => (unlisted.has(`${command} ${name}`) ? [] : [[command, name]])),
);

it.each(relied)("the table of git %s has --%s, like the git of this machine", (command, name) => {
  const table = namesOf(gitOptions[command as keyof typeof gitOptions].split(" "));
  const listed = listedGitOptions(command);
  const has = (names: ReadonlySet<string>) => names.has(name) || names.has(name.replace(/^no-/, ""));
  expect(has(table)).toBe(true);
  expect(has(namesOf(listed ?? []))).toBe(true);
});

it("separates options from those that revoke them", () => {
  const listed =
    "--quiet --no-refresh --exclude= --ours --no-ours --last= --refresh -- --no-quiet --no-exclude";
  expect(readListed(listed)).toEqual(["quiet", "no-refresh", "exclude=", "ours!", "no-ours!", "last=!"]);
});
