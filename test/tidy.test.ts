import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { clientNames } from "../src/contract/client-names.ts";
import { ruleCodes } from "../src/core/rules/catalog.ts";
import { readMutations } from "./conformance/mutations.ts";

const root = new URL("..", import.meta.url).pathname;

/** Tracked files and new ones that are not ignored. */
const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
})
  .toString()
  .split("\0")
  .filter((path) => path !== "" && existsSync(join(root, path)));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const matching = (pattern: RegExp) => files.filter((path) => pattern.test(path));

const sources = matching(/^src\/.*\.ts$/);
const product = sources.filter((path) => !/\.test(-support)?\.ts$|-samples\.ts$/.test(path));
const tests = matching(/\.test\.ts$/);
const documents = matching(/\.md$/);

const belowRun = [
  "core",
  "contract",
  "workspace",
  "hooks",
  "ledger",
  "engine",
  "proof",
  "server",
  "clients",
  "guard",
];

/** The layers that each layer may import besides itself. */
const layers: Readonly<Record<string, readonly string[]>> = {
  core: [],
  contract: ["core"],
  ledger: ["core", "contract"],
  workspace: ["core", "contract"],
  hooks: ["core", "contract"],
  engine: ["core", "contract", "ledger", "hooks"],
  proof: ["core", "contract", "workspace"],
  clients: ["core", "contract", "workspace"],
  guard: ["core", "contract", "workspace", "ledger", "engine", "clients"],
  server: ["core", "contract", "workspace", "hooks", "ledger", "engine", "guard"],
  run: belowRun,
  session: [...belowRun, "run"],
  view: ["core", "contract", "workspace", "ledger", "engine"],
  board: [...belowRun, "run", "session", "view"],
  page: ["core", "contract"],
  cli: [...belowRun, "run", "session", "view", "board"],
};

const importPattern = /(?:from|import)\s*\(?\s*"([^"]+)"/g;
const importsOf = (path: string) =>
  [...read(path).matchAll(importPattern)].map((match) => match[1] as string);
const layerOf = (path: string) => path.split("/")[1] as string;

/** The first cycle that is found, as the folders on it; empty if there is none. */
function findCircle(graph: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const done = new Set<string>();
  const walk = (folder: string, way: readonly string[]): readonly string[] => {
    if (way.includes(folder)) return [...way.slice(way.indexOf(folder)), folder];
    if (done.has(folder)) return [];
    for (const next of graph.get(folder) ?? []) {
      const circle = walk(next, [...way, folder]);
      if (circle.length > 0) return circle;
    }
    done.add(folder);
    return [];
  };
  for (const folder of graph.keys()) {
    const circle = walk(folder, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

describe("the tree", () => {
  it("has files of every kind that these tests check", () => {
    expect(product.length).toBeGreaterThan(80);
    expect(tests.length).toBeGreaterThan(20);
    expect(documents.length).toBeGreaterThan(8);
  });

  it("has no exclusive tests", () => {
    const marked = new RegExp(`\\b(?:it|test|describe)\\.${"only"}\\b`);
    expect(tests.filter((path) => marked.test(read(path)))).toEqual([]);
  });

  it("has no vague file names", () => {
    expect(product.filter((path) => /(?:utils?|helpers?|manager|common|misc)\.ts$/.test(path))).toEqual([]);
    expect(product.filter((path) => !/^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9-]+\.ts$/.test(path))).toEqual(
      [],
    );
  });
});

describe("imports", () => {
  it("go downwards only", () => {
    let seen = 0;
    const wrong = product.flatMap((path) =>
      importsOf(path)
        .filter((target) => target.startsWith("."))
        .map((target) => normalize(join(dirname(path), target)))
        .filter((target) => target.startsWith("src/"))
        .filter((target) => {
          seen += 1;
          const [from, to] = [layerOf(path), layerOf(target)];
          return from !== to && !layers[from]?.includes(to);
        })
        .map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
    expect(seen).toBeGreaterThan(200);
    expect(product.filter((path) => layers[layerOf(path)] === undefined)).toEqual([]);
  });

  it("of a run go downwards only: agents do not import reviews, and neither imports the schedule", () => {
    const order = ["landing", "attempt", "review", "conduct"];
    const folderOf = (path: string) => /^src\/run\/(\w+)\//.exec(path)?.[1] ?? "landing";
    const own = product.filter((path) => path.startsWith("src/run/"));
    const wrong = own.flatMap((path) =>
      importsOf(path)
        .map((target) => normalize(join(dirname(path), target)))
        .filter((target) => target.startsWith("src/run/"))
        .filter((target) => order.indexOf(folderOf(target)) > order.indexOf(folderOf(path)))
        .map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
    expect(new Set(own.map(folderOf))).toEqual(new Set(order));
  });

  it("of folders two levels deep have no cycle", () => {
    const folderOf = (path: string) => dirname(path).split("/").slice(0, 3).join("/");
    const graph = new Map<string, Set<string>>();
    for (const path of product) {
      for (const target of importsOf(path).filter((one) => one.startsWith("."))) {
        const [from, to] = [folderOf(path), folderOf(normalize(join(dirname(path), target)))];
        if (from !== to && to.startsWith("src/")) graph.set(from, (graph.get(from) ?? new Set()).add(to));
      }
    }
    expect(graph.size).toBeGreaterThan(40);
    expect(findCircle(graph)).toEqual([]);
  });

  it("of the core do not reach the machine, the clock or random numbers", () => {
    const core = product.filter((path) => path.startsWith("src/core/"));
    const impure =
      /\bprocess\.|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bfetch\(|\bsetTimeout\b|\bsetInterval\b|\bperformance\.|\bcrypto\./;
    expect(core.length).toBeGreaterThan(60);
    expect(core.filter((path) => importsOf(path).some((target) => target.startsWith("node:")))).toEqual([]);
    expect(core.filter((path) => impure.test(withoutComments(read(path))))).toEqual([]);
  });
});

describe("branches and refs", () => {
  it("are named in one file", () => {
    const spelled = /refs\\?\/lockstep|`lockstep\/\$\{/;
    expect(product.filter((path) => spelled.test(withoutComments(read(path))))).toEqual([
      "src/core/names/ref-names.ts",
    ]);
  });
});

describe("the ledger", () => {
  it("is changed in one place, after the caller was checked", () => {
    const changes = /\.commit\(/;
    const callers = product.filter((path) => changes.test(withoutComments(read(path))));
    expect(callers).toEqual(["src/engine/change/door.ts"]);
    const admits = product.filter((path) => /\badmit\(/.test(withoutComments(read(path))));
    expect(admits).toEqual(["src/engine/change/door.ts", "src/engine/operate.ts"]);
  });
});

describe("sizes", () => {
  it("keep functions under 70 lines", () => {
    const all = product.flatMap((path) => functionsIn(path));
    expect(all.length).toBeGreaterThan(500);
    expect(all.filter(({ lines }) => lines > 70)).toEqual([]);
  });
});

describe("documents", () => {
  it("link only to existing files and headings", () => {
    const links = documents.flatMap((path) =>
      [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => ({ path, target: match[1] as string })),
    );
    const local = links.filter(({ target }) => !/^(?:https?:|mailto:)/.test(target));
    const dead = local.filter(({ path, target }) => {
      const [file = "", anchor] = target.split("#");
      const at = file === "" ? path : join(dirname(path), file);
      return !existsSync(join(root, at)) || (anchor !== undefined && !anchorsOf(at).has(anchor));
    });
    expect(dead).toEqual([]);
    expect(local.length).toBeGreaterThan(100);
    expect(local.filter(({ target }) => target.includes("#")).length).toBeGreaterThan(40);
  });

  it("explain every rule code", () => {
    const rules = read("docs/rules.md");
    expect(ruleCodes.length).toBeGreaterThan(35);
    expect(ruleCodes.filter((code) => !rules.includes(`\`${code}\``))).toEqual([]);
  });

  it("list for every guarded client what is enforced, what is not, and how to check", () => {
    const first = ["What is enforced", "Where the settings are", "What is not enforced"];
    for (const client of clientNames) {
      const found = [...read(`docs/clients/${client}.md`).matchAll(/^## (.+)$/gm)].map(([, title]) => title);
      const runs = files.includes(`src/clients/${client}/home.ts`);
      const home = runs ? ["Its home in `lockstep run`"] : [];
      expect(found, client).toEqual([...first, ...home, "How to check"]);
    }
  });

  it("guide orchestrators and their supervisors, and list what no hook can prevent", () => {
    const guide = read("docs/orchestrators.md");
    const parts = guide
      .replaceAll(/\s*\n(?: {2})?/g, " ")
      .split(" ## ")
      .slice(1);
    const said: Readonly<Record<string, readonly string[]>> = {
      "Which agents are orchestrators": ["`CLAUDE_AGENT_ROLE`, then `CLAUDE_AGENT_NAME`, then a session"],
      "For orchestrators": [
        ...["Spawn first", "to a subagent", "Read two files at most", "`lockstep agent-session summary`"],
        "writing and editing to a developer, searching to an analyst",
      ],
      "For people who supervise orchestrators": [
        ...["Test hooks", "Read the audit log", "Read `lockstep report`", "Document which hooks"],
        "a coordination file that the configuration should name",
      ],
      Troubleshooting: [
        ...["nothing is blocked | `lockstep doctor`; the role in the environment", "the state is damaged"],
        ...["`agent-session init orchestrator`", "an inherited environment", "`agent-session clear`"],
      ],
      "What no hook can prevent": [
        ...["Calls to a model's API", "a person's own edits", "a process that sets the environment"],
      ],
      History: [
        ...["| 1.0.0 | the rules were only in prompts | | 2.0.0 | four layers", "(../ARCHITECTURE.md)"],
        ...["(rules.md)", "(glossary.md)"],
      ],
    };
    expect(parts).toHaveLength(Object.keys(said).length);
    for (const [at, [title, words]] of Object.entries(said).entries()) {
      expect(parts[at]?.startsWith(`${title} `), title).toBe(true);
      for (const text of words) expect(parts[at]).toContain(text);
    }
    for (const client of clientNames) expect(guide).toContain(`(clients/${client}.md)`);
  });

  it("give a reason for every runtime dependency", () => {
    const decisions = matching(/^docs\/decisions\/.*\.md$/)
      .map(read)
      .join("\n");
    const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
    expect(Object.keys(dependencies).length).toBeGreaterThan(3);
    expect(Object.keys(dependencies).filter((name) => !decisions.includes(`\`${name}\``))).toEqual([]);
  });

  it("show two commands to start, and CI runs the second", () => {
    const start = /## Start\n([\s\S]*?)\n## /.exec(read("README.md"))?.[1] ?? "";
    expect(start.match(/```sh\n/g)).toHaveLength(2);
  });
});

describe("package-lock.json", () => {
  interface Locked {
    readonly resolved?: string;
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  }
  const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, Locked> };

  it("names no registry", () => {
    expect(Object.keys(packages).length).toBeGreaterThan(60);
    expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  });

  it("has every platform's packages, without which `npm ci` refuses it: `node scripts/complete-lock.ts`", () => {
    const named = Object.values(packages).flatMap((one) => Object.keys(one.optionalDependencies ?? {}));
    expect(named.filter((name) => packages[`node_modules/${name}`] === undefined)).toEqual([]);
  });
});

describe("rule codes", () => {
  it("are each produced by a test", () => {
    const texts = [...tests, ...matching(/^test\/vectors\/.*\.json$/)]
      .filter((path) => path !== "test/tidy.test.ts")
      .map(read)
      .join("\n");
    expect(ruleCodes.filter((code) => !texts.includes(`"${code}"`))).toEqual([]);
  });
});

describe("conformance", () => {
  const pattern = /^\| (S\d-\d{3}|C-\d{2}|INV-\d|F-\d{1,2}) \| ((?:\\\||[^|\n])+) \| ([^|\n]+) \|$/gm;
  const rows = [...read("test/conformance/conformance.md").matchAll(pattern)].map(
    ([, id = "", text = "", shown = ""]) => ({ id, text: text.replaceAll("\\|", "|"), shown }),
  );

  it("has the exact texts of the requirements", () => {
    const words = new Map(
      read("test/conformance/requirements.txt")
        .trimEnd()
        .split("\n")
        .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]),
    );
    expect(words.size).toBe(557);
    expect([...words.keys()].filter((id) => !rows.some((row) => row.id === id))).toEqual([]);
    expect(rows.filter(({ id, text }) => words.has(id) && words.get(id) !== text)).toEqual([]);
  });

  it("has mutations that still apply: `npm run mutate` shows that their tests fail", () => {
    const mutations = readMutations(root);
    expect(mutations.length).toBeGreaterThan(60);
    for (const { rows: named, file, from, test } of mutations) {
      expect(read(file).split(from).length - 1, `${file}: ${from}`).toBe(1);
      expect(named.filter((id) => !rows.some((row) => row.id === id))).toEqual([]);
      expect(tests).toContain(test);
    }
  });

  it("has every row of the sections that it covers, once", () => {
    const counts: Record<string, number> = {};
    for (const { id } of rows) {
      const [section = ""] = id.split("-");
      counts[section] = (counts[section] ?? 0) + 1;
    }
    expect(counts).toEqual({ S0: 85, S1: 124, S2: 79, S3: 103, S4: 146, C: 20, INV: 9, F: 35 });
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(read("test/conformance/conformance.md").match(/^\| (?!id |---)/gm)).toHaveLength(rows.length);
  });

  it("names for every row tests by their titles, or what it waits for", () => {
    const wrong = rows.flatMap(({ id, shown }) => faultsIn(shown).map((fault) => `${id}: ${fault}`));
    expect(wrong).toEqual([]);
  });
});

/** The faults of `path: "title", "title" (remark); path: "title"; the rest later: something`, or of `measured by`. */
function faultsIn(shown: string): string[] {
  if (/^later: \w[^";]*$/.test(shown)) return [];
  const [, measured] = /^measured by (bench\/[\w-]+\.ts)$/.exec(shown) ?? [];
  if (measured !== undefined) return files.includes(measured) ? [] : [`there is no ${measured}`];
  const named = /((?:src|test)\/[\w./-]+\.ts): ("[^"]+"(?:, "[^"]+")*)/g;
  const shownBy = [...shown.matchAll(named)].map(([, path = "", titles = ""]) => ({
    path,
    titles: [...titles.matchAll(/"([^"]+)"/g)].map((match) => match[1] as string),
  }));
  const rest = shown.replace(named, "");
  if (shownBy.length === 0 || /"|\.ts\b|not built/.test(rest))
    return [`\`${shown}\` names no test and title`];
  return shownBy.flatMap(({ path, titles }) => {
    if (!holdsTests(path)) return [`${path} is no file of tests`];
    return titles.filter((title) => !hasTitle(path, title)).map((title) => `${path} has no test "${title}"`);
  });
}

/** A file of tests, or one with the tests that several of them share. */
function holdsTests(path: string): boolean {
  const imported = (from: string) =>
    importsOf(from).some((target) => normalize(join(dirname(from), target)) === path);
  return tests.includes(path) || (files.includes(path) && tests.some(imported));
}

/** A title as it is written, or with its gaps filled: the words for the gaps must be in the file or in the vectors. */
function hasTitle(path: string, title: string): boolean {
  const text = read(path);
  const gap = /%[sdifjo]|\$\{[^}]*\}|\$[\w.]+/;
  const written = [
    ...text.matchAll(/(?:\b(?:it|describe)|\))(?:\.\w+)*\(\s*("(?:[^"\\\n]|\\.)*"|`[^`]*`)\s*,/g),
  ];
  return written.some(([, literal = ""]) => {
    const template = literal.slice(1, -1).replace(/\\(.)/g, "$1");
    if (template === title) return true;
    const parts = template.split(gap);
    if (parts.length === 1 || !/\w{4}/.test(parts.join(" "))) return false;
    const literally = (part: string) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    const filled = new RegExp(`^${parts.map(literally).join("(.+)")}$`).exec(title);
    const known = text + read("test/vectors/hooks.json");
    return filled?.slice(1).every((words) => gap.test(words) || known.includes(`"${words}"`)) ?? false;
  });
}

/** The ids that a page's headings have in links to them. */
function anchorsOf(path: string): ReadonlySet<string> {
  const text = read(path).replaceAll(/^```[\s\S]*?^```$/gm, "");
  const names = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set(names);
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
}

/** The formatter puts a function's last brace below its first word, so line numbers are enough. */
function functionsIn(path: string): { path: string; name: string; lines: number }[] {
  const lines = read(path).split("\n");
  const found: { path: string; name: string; lines: number }[] = [];
  lines.forEach((line, start) => {
    const opens =
      /^(\s*)(?:export |async |static |readonly |get |function\*? )*([#\w]+)?.*(?:\)|=>)[^;]*\{$/.exec(line);
    if (opens === null || /^\s*(?:if|for|while|switch|else|return|\}|case)\b/.test(line)) return;
    const indent = opens[1] ?? "";
    const end = lines.findIndex((other, at) => at > start && other.startsWith(`${indent}}`));
    if (end > start) found.push({ path, name: opens[2] ?? "", lines: end - start + 1 });
  });
  return found;
}
