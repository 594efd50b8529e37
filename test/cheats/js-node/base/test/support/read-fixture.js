import { readFileSync } from "node:fs";

export function readFixture(name) {
  return readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
}
