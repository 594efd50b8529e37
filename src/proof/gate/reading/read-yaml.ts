import { readYaml } from "../../../core/yaml/read-yaml.ts";

/** The parser's time grows faster than its input; what is larger or deeper than this is not read. */
const bounds = { depthMax: 128, tokensMax: 500_000 };

/** A file of the project: it may hold several documents, and tags and merge keys of other programs. */
export async function readYamlFile(text: string) {
  return readYaml(await import("yaml"), text, bounds);
}
