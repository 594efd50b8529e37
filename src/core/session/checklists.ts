import type { RoleName } from "../names/roles.ts";

type ProjectKind = "web" | "api" | "cli" | "lib";
/** What a file is, as far as its name tells. */
type FileKind = "interface" | "code" | "query" | "manifest";

interface Item {
  readonly text: string;
  /** Left out: every kind of project. */
  readonly kinds?: readonly ProjectKind[];
  /** In a project of several kinds: only where such a file was changed. Left out: always. */
  readonly about?: readonly FileKind[];
}

const served = ["web", "api"] as const;
const codeOnly = ["code"] as const;

const reviewer: readonly Item[] = [
  { text: "It does what the goal and the acceptance criteria say, and nothing beyond them" },
  { text: "Edge cases and errors: empty, huge, missing, twice, at the same time", about: codeOnly },
  { text: "Every behaviour that is new or changed has a test that fails without it", about: codeOnly },
  { text: "Names, structure and size fit the code around it; nothing is there twice", about: codeOnly },
  { text: "Input validation: whatever comes from outside is checked where it comes in", about: codeOnly },
  {
    text: "Templates and views: output is escaped, and works with a keyboard and a screen reader",
    kinds: ["web"],
    about: ["interface"],
  },
  { text: "Queries are built with parameters and have bounds", kinds: served, about: ["code", "query"] },
  {
    text: "Tenant scoping: every query and handler is limited to the caller's own data",
    kinds: served,
    about: ["code", "query"],
  },
  { text: "Status codes and error bodies are those of the API's contract", kinds: served, about: codeOnly },
  { text: "Exit codes, help text and what goes to stdout or stderr", kinds: ["cli"], about: codeOnly },
  {
    text: "API safety: public types and behaviour stay compatible, or the break is said",
    kinds: ["lib"],
    about: codeOnly,
  },
  { text: "Dependency hygiene: each new one is needed, maintained and pinned", about: ["manifest"] },
];

const qa: readonly Item[] = [
  { text: "Each acceptance criterion has been tried, with what was expected and what came" },
  { text: "The whole test suite passes, and no test was skipped or weakened for it", about: codeOnly },
  { text: "Input validation: wrong types, empty, too long, other encodings", about: codeOnly },
  { text: "Failing surroundings: no network, full disk, interruption, a second call", about: codeOnly },
  {
    text: "Pages: empty, loading and error states, small screens, keyboard",
    kinds: ["web"],
    about: ["interface"],
  },
  {
    text: "Requests without login, with another's login, and too many of them",
    kinds: served,
    about: codeOnly,
  },
  { text: "Arguments: none, unknown, repeated, with spaces, from a pipe", kinds: ["cli"], about: codeOnly },
  { text: "Public functions as a caller would use them, also wrongly", kinds: ["lib"], about: codeOnly },
];

const security: readonly Item[] = [
  { text: "Secrets: none in code, logs, messages or test data" },
  { text: "Input validation: size, type, encoding and paths of everything from outside", about: codeOnly },
  { text: "Injection into shells, queries, paths and formats", about: ["code", "query"] },
  { text: "SQL injection: no query is put together from text", kinds: served, about: ["code", "query"] },
  { text: "Authentication and authorization of every way in", kinds: served, about: codeOnly },
  { text: "Rate limiting: nobody can exhaust it from outside", kinds: served, about: codeOnly },
  {
    text: "CSRF: requests that change something come from our own pages",
    kinds: served,
    about: ["interface", "code"],
  },
  {
    text: "XSS: nothing from outside reaches a page unescaped",
    kinds: ["web"],
    about: ["interface", "code"],
  },
  {
    text: "Tenant scoping: nobody reaches another tenant's data",
    kinds: served,
    about: ["code", "query"],
  },
  { text: "Templates: no code in them comes from data", kinds: ["web"], about: ["interface"] },
  {
    text: "Privilege escalation: files, links, environment and child processes of others",
    kinds: ["cli"],
    about: codeOnly,
  },
  { text: "API safety: safe by default, and hard to use unsafely", kinds: ["lib"], about: codeOnly },
  { text: "Dependency hygiene: known faults, origin, install scripts", about: ["manifest"] },
];

const checklists: Readonly<Partial<Record<RoleName, readonly Item[]>>> = {
  Reviewer: reviewer,
  QA: qa,
  Security: security,
};

/** What a role goes through, without what does not apply to the project and the changed files (S4-170 to S4-175). */
export function checklistFor(
  role: string,
  projectType: string,
  files: readonly string[] = [],
): readonly string[] {
  const items = Object.hasOwn(checklists, role) ? (checklists[role as RoleName] ?? []) : [];
  const changed = new Set(files.flatMap(kindsOf));
  return items
    .filter(({ kinds, about }) =>
      projectType === "mixed"
        ? about === undefined || files.length === 0 || about.some((kind) => changed.has(kind))
        : kinds === undefined || (kinds as readonly string[]).includes(projectType),
    )
    .map(({ text }) => text);
}

const manifest =
  /(?:^|\/)(?:package(?:-lock)?\.json|[^/]*\.lockb?|pnpm-lock\.yaml|go\.(?:mod|sum)|cargo\.toml|pyproject\.toml|requirements[^/]*\.txt|pipfile|gemfile|pom\.xml|[^/]*\.gradle(?:\.kts)?|composer\.json|[^/]*\.csproj)$/i;
const markup = /\.(?:html?|css|s[ac]ss|less|ejs|hbs|pug|erb|twig|liquid|jinja2?|mustache)$/i;
const component = /\.(?:jsx|tsx|vue|svelte|astro)$|(?:^|\/)(?:templates|views|public)\//i;
const prose = /\.(?:md|mdx|rst|adoc|txt|png|jpe?g|gif|ico|webp|pdf)$|(?:^|\/)licen[cs]e$/i;

/** What is not known to be something else counts as code. */
function kindsOf(path: string): readonly FileKind[] {
  if (manifest.test(path)) return ["manifest"];
  if (/\.sql$/i.test(path)) return ["query"];
  if (markup.test(path)) return ["interface"];
  if (component.test(path)) return ["interface", "code"];
  return prose.test(path) ? [] : ["code"];
}
