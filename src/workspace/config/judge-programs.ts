import type { Config } from "../../contract/config.ts";
import { brokenExamples } from "../../core/shell/programs/row/row-examples.ts";
import { quoted } from "../../core/text/quoted.ts";
import { pathText, readConfigDocument } from "./config-document.ts";
import type { ConfigFault } from "./config-fault.ts";
import { spotAt } from "./config-issues.ts";
import { readConfigFile } from "./read-config-file.ts";

const configFile = ".lockstep/config.yaml";
const foundLengthMax = 200;

/** The place of each row of `guard.programs`, such as `.lockstep/config.yaml:12`. */
export function placesOfPrograms(root: string): readonly string[] {
  const read = readConfigFile(root, configFile);
  const document = read !== undefined && "text" in read ? readConfigDocument(configFile, read.text) : [];
  if (!("value" in document)) return [];
  const rows = spotAt(document.root, ["guard", "programs"]).children;
  return [...rows.values()].map(({ value }) => `${configFile}:${document.lineAndColumn(value).line}`);
}

/** Examples in `guard.programs` that contradict their row, each with its place in the file. */
export function judgePrograms(
  { file, text }: { readonly file: string; readonly text: string },
  { guard }: Pick<Config, "guard">,
): readonly ConfigFault[] {
  const document = readConfigDocument(file, text);
  if (!("value" in document)) return document;
  return guard.programs.flatMap((row, at) =>
    brokenExamples(row).map(({ list, index, found, expected }) => {
      const path = ["guard", "programs", at, list, index];
      return {
        file,
        ...document.lineAndColumn(spotAt(document.root, path).value),
        path: pathText(path),
        problem: `the row finds ${quoted(found, foundLengthMax)} in ${quoted(row[list]?.[index] ?? "")}`,
        expected: `${expected}: correct the row or the example`,
      };
    }),
  );
}
