import { readdirSync, readFileSync } from "node:fs";

const { forbidden } = JSON.parse(readFileSync("lint.json", "utf8"));
const found = readdirSync("src").flatMap((name) => {
  const text = readFileSync(`src/${name}`, "utf8");
  return forbidden.filter((word) => text.includes(word)).map((word) => `src/${name}: ${word}`);
});
for (const line of found) console.error(line);
process.exitCode = found.length === 0 ? 0 : 1;
