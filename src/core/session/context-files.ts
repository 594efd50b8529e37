import type { RoleName } from "../names/roles.ts";
import { sessionPath } from "../names/session-paths.ts";

interface Reading {
  readonly must: readonly string[];
  /** Included if they exist; a name that ends in `/` includes everything below it. */
  readonly may: readonly string[];
}

/** The files that a role reads before it starts. Its own files are included, for corrections. */
const readings: Readonly<Record<RoleName, Reading>> = {
  SpecAgent: { must: [], may: ["spec.md", "acceptance.json", "research/"] },
  Architect: { must: ["spec.md", "acceptance.json"], may: ["research/", "architecture.md", "adr/"] },
  Designer: { must: ["spec.md", "architecture.md", "acceptance.json"], may: ["design-specs/"] },
  Researcher: {
    must: ["spec.md"],
    may: ["acceptance.json", "architecture.md", "design-specs/", "research/"],
  },
  Planner: { must: ["spec.md", "acceptance.json", "architecture.md"], may: ["design-specs/", "research/"] },
  Coder: { must: ["spec.md", "tasks.yaml"], may: ["architecture.md", "design-specs/"] },
  Reviewer: { must: ["spec.md", "tasks.yaml"], may: ["architecture.md", "design-specs/"] },
  QA: { must: ["spec.md", "acceptance.json", "tasks.yaml"], may: ["design-specs/"] },
  Security: { must: ["tasks.yaml"], may: ["architecture.md"] },
  Integrator: { must: ["tasks.yaml", "acceptance.json"], may: [] },
  Docs: { must: ["spec.md", "tasks.yaml", "acceptance.json"], may: ["architecture.md"] },
  Orchestrator: { must: [], may: [] },
};

/**
 * The session's files that a role reads first, and the required ones that are missing (S4-055, S4-058). `present`
 * contains paths relative to the session's folder. A role that the project defines reads the same files as a Coder.
 */
export function contextFilesFor(
  role: string,
  session: string,
  present: ReadonlySet<string>,
): { readonly files: readonly string[]; readonly missing: readonly string[] } {
  const { must, may } = Object.hasOwn(readings, role) ? readings[role as RoleName] : readings.Coder;
  const below = may.flatMap((name) =>
    name.endsWith("/")
      ? [...present].filter((path) => path.startsWith(name)).sort()
      : [name].filter((path) => present.has(path)),
  );
  const full = (path: string) => sessionPath(session, path);
  return {
    files: [...must.filter((path) => present.has(path)), ...below].map(full),
    missing: must.filter((path) => !present.has(path)).map(full),
  };
}
