import { posix } from "node:path";
import { seededRandom } from "./random.ts";

const packageSize = 50;

/** The scripts of an invented project: 2 to 4 KB each, in packages, each with imports of a few earlier ones. */
export function sourceFiles(count: number): ReadonlyMap<string, string> {
  const files = new Map<string, string>([
    ["package.json", `${JSON.stringify({ name: "shop", private: true, workspaces: ["packages/*"] })}\n`],
    ["tsconfig.json", '{ "compilerOptions": { "strict": true } }\n'],
    [".gitignore", "node_modules\ndist\n"],
  ]);
  const next = seededRandom(count);
  for (let number = 0; number < count; number += 1)
    files.set(pathOf(number), scriptText(number, importedBy(number, next)));
  for (let first = 0; first < count; first += packageSize)
    files.set(`${packageOf(first)}/package.json`, `{ "name": "@shop/p${first / packageSize}" }\n`);
  return files;
}

export function pathOf(number: number): string {
  return `${packageOf(number)}/src/part-${Math.floor((number % packageSize) / 10)}/module-${number}.ts`;
}

function packageOf(number: number): string {
  return `packages/p${Math.floor(number / packageSize)}`;
}

/** Some of its own package and one of a shared package, all with lower numbers, so that there is no cycle. */
function importedBy(number: number, next: () => number): readonly number[] {
  const first = number - (number % packageSize);
  const own = Array.from(
    { length: Math.min(4, number - first) },
    () => first + Math.floor(next() * (number - first)),
  );
  const shared = Math.floor(first / packageSize / 2) * packageSize + Math.floor(next() * packageSize);
  return [...new Set(shared < first ? [...own, shared] : own)];
}

/** Also for new files: every import is used. */
export function scriptText(number: number, imported: readonly number[]): string {
  const from = posix.dirname(pathOf(number));
  const imports = imported.map((other) => {
    const path = posix.relative(from, pathOf(other));
    return `import { make${other}, type Item${other} } from "${path.startsWith(".") ? path : `./${path}`}";\n`;
  });
  const uses = imported.map(
    (other) => `
export function from${other}(item: Item${other}): Item${number} {
  if (item.price < 0) throw new Error(\`the price of "\${item.id}" is negative\`);
  const other = make${other}(item.id, item.price + 1);
  return make${number}(other.id, Math.round(other.price * 1.19));
}
`,
  );
  const totals = Array.from(
    { length: 3 + (number % 4) },
    (_, at) => `
/** Sums up what list ${at} holds, without what is marked. */
export function total${at}(items: readonly Item${number}[], marked: ReadonlySet<string>): number {
  let sum = 0;
  for (const { id, price, tags } of items) {
    if (marked.has(id) || tags.includes("free")) continue;
    sum += tags.length > 2 ? price * 0.9 : price;
  }
  return Math.max(0, sum);
}
`,
  );
  return `${imports.join("")}
export interface Item${number} {
  readonly id: string;
  readonly price: number;
  readonly tags: readonly string[];
}

const known = new Map<string, Item${number}>();

export function make${number}(id: string, price = ${number}): Item${number} {
  const found = known.get(id);
  if (found !== undefined) return found;
  const made = { id, price, tags: ["a", "b", \`t-\${id}\`] };
  known.set(id, made);
  return made;
}
${uses.join("")}${totals.join("")}`;
}
