import type { RoleName } from "../names/roles.ts";

type ProjectKind = "web" | "api" | "cli" | "lib";
/** The kind of a file, judged by its name. */
type FileKind = "interface" | "code" | "query" | "manifest";

interface Item {
  readonly text: string;
  /** Default: every kind of project. */
  readonly kinds?: readonly ProjectKind[];
  /** In a mixed project: only if such a file was changed. Default: always. */
  readonly about?: readonly FileKind[];
}

const served = ["web", "api"] as const;
const codeOnly = ["code"] as const;

const reviewer: readonly Item[] = [
  { text: "The change does what the goal and the acceptance criteria say, and nothing else" },
  { text: "Edge cases and errors: empty, huge, missing, duplicate, concurrent", about: codeOnly },
  { text: "Every new or changed behaviour has a test that fails without the change", about: codeOnly },
  { text: "Names, structure and size fit the surrounding code; nothing is duplicated", about: codeOnly },
  { text: "Input validation: external input is checked where it enters", about: codeOnly },
  {
    text: "Templates and views: output is escaped, and pages work with a keyboard and a screen reader",
    kinds: ["web"],
    about: ["interface"],
  },
  { text: "Queries use parameters and have limits", kinds: served, about: ["code", "query"] },
  {
    text: "Tenant scoping: every query and handler is limited to the caller's own data",
    kinds: served,
    about: ["code", "query"],
  },
  { text: "Status codes and error bodies match the API's contract", kinds: served, about: codeOnly },
  { text: "Exit codes, help text, and the split between stdout and stderr", kinds: ["cli"], about: codeOnly },
  {
    text: "API safety: public types and behaviour stay compatible, or the breaking change is documented",
    kinds: ["lib"],
    about: codeOnly,
  },
  { text: "Dependency hygiene: each new dependency is needed, maintained and pinned", about: ["manifest"] },
];

const qa: readonly Item[] = [
  { text: "Each acceptance criterion was tried, with the expected and the actual result" },
  { text: "The whole test suite passes, and no test was skipped or weakened", about: codeOnly },
  { text: "Input validation: wrong types, empty values, too long values, other encodings", about: codeOnly },
  {
    text: "Failures of the environment: no network, full disk, interruption, a repeated call",
    about: codeOnly,
  },
  {
    text: "Pages: empty, loading and error states, small screens, keyboard",
    kinds: ["web"],
    about: ["interface"],
  },
  {
    text: "Requests without a login, with another user's login, and too many requests",
    kinds: served,
    about: codeOnly,
  },
  { text: "Arguments: none, unknown, repeated, with spaces, from a pipe", kinds: ["cli"], about: codeOnly },
  { text: "Public functions, with correct and with incorrect use", kinds: ["lib"], about: codeOnly },
];

const security: readonly Item[] = [
  { text: "Secrets: none in code, logs, messages or test data" },
  { text: "Input validation: size, type, encoding and paths of all external input", about: codeOnly },
  { text: "Injection into shells, queries, paths and formats", about: ["code", "query"] },
  { text: "SQL injection: no query is concatenated from strings", kinds: served, about: ["code", "query"] },
  { text: "Authentication and authorization of every entry point", kinds: served, about: codeOnly },
  { text: "Rate limiting: a client cannot exhaust the service", kinds: served, about: codeOnly },
  {
    text: "CSRF: requests that change state come only from the application's own pages",
    kinds: served,
    about: ["interface", "code"],
  },
  {
    text: "XSS: no external input reaches a page unescaped",
    kinds: ["web"],
    about: ["interface", "code"],
  },
  {
    text: "Tenant scoping: no tenant can reach another tenant's data",
    kinds: served,
    about: ["code", "query"],
  },
  { text: "Templates: data is never executed as code", kinds: ["web"], about: ["interface"] },
  {
    text: "Privilege escalation: files, links, environment and child processes of other users",
    kinds: ["cli"],
    about: codeOnly,
  },
  { text: "API safety: safe by default, and hard to use unsafely", kinds: ["lib"], about: codeOnly },
  { text: "Dependency hygiene: known vulnerabilities, origin, install scripts", about: ["manifest"] },
];

const checklists: Readonly<Partial<Record<RoleName, readonly Item[]>>> = {
  Reviewer: reviewer,
  QA: qa,
  Security: security,
};

/** A role's checklist, without items that do not apply to the project or the changed files (S4-170 to S4-175). */
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

/** Any file that is not of another known kind counts as code. */
function kindsOf(path: string): readonly FileKind[] {
  if (manifest.test(path)) return ["manifest"];
  if (/\.sql$/i.test(path)) return ["query"];
  if (markup.test(path)) return ["interface"];
  if (component.test(path)) return ["interface", "code"];
  return prose.test(path) ? [] : ["code"];
}
