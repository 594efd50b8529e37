import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lockstepProgram } from "../src/cli/commands/lockstep-program.ts";
import { cliDocument } from "../src/cli/help/cli-document.ts";
import { configDocument } from "../src/contract/config-document.ts";
import { jsonSchema, schemaNames } from "../src/contract/json-schemas.ts";
import { rulesDocument } from "../src/core/points/rules-document.ts";

/** Writes the files that are generated from the source; with --check only lists the outdated ones. */
const root = new URL("..", import.meta.url).pathname;
const checking = process.argv.includes("--check");

const wanted = new Map<string, string>([
  ["docs/rules.md", await rulesDocument()],
  ["docs/config.md", configDocument()],
  ["docs/cli.md", cliDocument(lockstepProgram())],
]);
for (const name of schemaNames)
  wanted.set(`schemas/${name}.schema.json`, `${JSON.stringify(jsonSchema(name), null, 2)}\n`);

const drifted = [...wanted].filter(([path, text]) => readText(path) !== text).map(([path]) => path);
const stray = readdirSync(join(root, "schemas"))
  .map((name) => `schemas/${name}`)
  .filter((path) => !wanted.has(path));

if (checking) {
  for (const path of [...drifted, ...stray])
    console.error(`${path} does not match the source: run \`npm run gen\``);
  process.exitCode = drifted.length + stray.length > 0 ? 1 : 0;
} else {
  mkdirSync(join(root, "schemas"), { recursive: true });
  for (const path of drifted) writeFileSync(join(root, path), wanted.get(path) as string);
  for (const path of stray) console.error(`${path} is made by nothing: delete it`);
}
console.log(`${wanted.size} generated files, ${drifted.length} ${checking ? "drifted" : "written"}`);

function readText(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined; // not generated yet
  }
}
