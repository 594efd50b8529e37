import * as z from "zod";
import { readDatabaseUrl } from "../core/values/database-url.ts";
import { isObject } from "../core/values/fields.ts";
import { lineOfWords, wordsOfLine } from "./command-forms.ts";

/**
 * The building blocks of the configuration. The text given to each one is shown to the user as the expected form.
 * A mistyped word is compared with the words in backticks in that text.
 */

const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const variableForm = /^[A-Za-z_][A-Za-z0-9_]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a line has none
const lineForm = /^(?=.*\S)[^\u0000-\u001f\u007f]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: no program takes an argument with this one
const wordForm = /^[^\u0000]*$/;
const pathForm =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a path in a line has none
  /^(?=.*\S)(?![/\\~]|[A-Za-z]:|file:)(?!(?:.*[/\\])?\.\.(?:[/\\]|$))[^\u0000-\u001f\u007f]+$/;
/** The home folder itself is not a path inside it. */
const homePathForm = new RegExp(`^(?!(?:\\./*)*$)${pathForm.source.slice(1)}`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: git allows none in the name of a branch
const branchForm = /^(?![-/.])(?!.*(?:\.\.|\/\/|@\{|[/.]$))[^\u0000-\u0020\u007f~^:?*[\\]+$/;

export const name = z
  .string("up to 64 letters, digits, dots, hyphens and underscores, a letter or digit first")
  .regex(nameForm);

export const variableName = z.string("the name of an environment variable").regex(variableForm);

const notBlank = "a string that is not blank: put quotes around it";

/** A text in a form without control characters; the error names the control character that was found. */
export function plainText(form: RegExp) {
  return z.string(notBlank).regex(form, { error: ({ input }) => controlIn(String(input), form) ?? notBlank });
}

function controlIn(text: string, form: RegExp): string | undefined {
  const at = [...text].findIndex((character) => !form.test(`a${character}`));
  if (at < 0) return undefined;
  const code = ([...text][at]?.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `a text without control characters: remove U+${code}, character ${at + 1} of the text`;
}

export const line = plainText(lineForm);

export const word = z.string("a string: put quotes around it").regex(wordForm);

export const projectPath = z
  .string("a path or glob inside the project, relative to its root")
  .regex(pathForm)
  .describe("relative to the project's root, without `..`");

export const homePath = z
  .string("a path inside the home folder, relative to it")
  .regex(homePathForm)
  .describe("relative to the home folder, without `..`");

export const branchName = z.string("the name of a branch").regex(branchForm);

/** Not a URL: git keeps that, with the way to log in, under the name of the remote. */
export const remoteName = z
  .string("the name of a git remote, such as `origin`: `git remote` lists them")
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);

const noPassword =
  "a URL without a password, because the file is committed: set PGPASSWORD or LOCKSTEP_LEDGER_URL in the environment, or write the password to ~/.pgpass";

export const ledgerUrl = z
  .string("a URL such as `postgres://USER@HOST/DATABASE`")
  .regex(/^postgres(?:ql)?:\/\/[^\s/]*\/[^\s/?]+(?:\?\S*)?$/, { abort: true })
  .refine((url) => readDatabaseUrl(url)?.hasPassword === false, noPassword);

const wordList = z.tuple([line], word);
const eitherForm = 'a command, such as "npm test" or ["npm", "test"]';

/** A program and its arguments. A line with shell syntax is run by a shell. */
export const command = z
  .union([z.string().regex(lineForm).transform(wordsOfLine), wordList], eitherForm)
  .meta({ id: "command", description: "a command line, or a program and its arguments" });

/** A line for the shell. */
export const commandLine = z
  .union([z.string().regex(lineForm), wordList.transform(lineOfWords)], eitherForm)
  .describe("a command line for the shell, or a program and its arguments");

export const count = z.int("a whole number above 0").positive();

export const countOrNone = z.int("a whole number, 0 or above").nonnegative();

export const amount = z.number("a number above 0").positive();

/** The entries of a value that may not have the form its schema requires. */
export function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}
