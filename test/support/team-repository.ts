import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { checksByName, type LandRepository, landRepository } from "./land-repository.ts";

const agent = readFileSync(new URL("./team-agent.cjs", import.meta.url), "utf8");

/** A role's differences from the default; see team-agent.cjs. */
export type TeamAnswers = Readonly<Record<string, unknown>>;

interface SessionDocument {
  readonly session: string;
  readonly outcome: string;
  readonly workflow: { readonly state: string; readonly blocker: { readonly code: string } | null } | null;
  readonly tasks: readonly { readonly id: string; readonly state: string }[];
  readonly decisions: readonly { readonly id: string; readonly question: string }[];
}

export interface TeamRepository extends Omit<LandRepository, "start"> {
  /** The behavior of the roles from now on. */
  answers(given: TeamAnswers): void;
  start(...words: string[]): Promise<Ran>;
  resume(...words: string[]): Promise<Ran>;
  decide(...words: string[]): Promise<{ readonly status: number | null; readonly stderr: string }>;
  /** A file of the session. */
  file(name: string): string;
  has(name: string): boolean;
  status(): StatusDocument;
  /** Roles that were dispatched, in order. */
  dispatches(): Promise<readonly string[]>;
  /** The requests to roles and their answers, in order. */
  returns(): Promise<readonly string[]>;
  /** Runs the command as a process that can be watched and killed. */
  launch: LandRepository["start"];
}

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly done: SessionDocument;
}

interface StatusDocument {
  readonly session: string;
  readonly current_state: string;
  readonly mode: string;
  readonly user_decisions: readonly Readonly<Record<string, unknown>>[];
  readonly retry_counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly known_issues: readonly string[];
  readonly [key: string]: unknown;
}

/** A repository whose every role is played by one program. */
export function teamRepository(given: TeamAnswers = {}, config = ""): TeamRepository {
  const repository = landRepository({
    "agents/team.cjs": agent,
    ".gitignore": "state\n.agents-work\nteam.json\n",
    ".lockstep/config.yaml": "# written below\n",
  });
  const { path } = repository;
  const run = JSON.stringify([process.execPath, "agents/team.cjs", join(path, "team.json")]);
  const checks = config.includes("checks:") ? "" : checksByName;
  const team = `agents:\n  team: { adapter: command, run: ${run} }\n`;
  repository.write(".lockstep/config.yaml", `${team}${config}${checks}`);
  repository.git("commit", "-qam", "the team");
  return teamIn(repository, given);
}

/** The same in a repository that has the team already. */
export function teamIn(repository: LandRepository, given: TeamAnswers): TeamRepository {
  const { path } = repository;
  const answers = (given: TeamAnswers) => repository.write("team.json", JSON.stringify(given));
  answers(given);
  let known = "";
  const folder = join(path, ".agents-work");
  const session = () => known || (existsSync(folder) ? (readdirSync(folder)[0] ?? "") : "");
  const file = (name: string) => join(folder, session(), name);
  const conduct = async (words: readonly string[]): Promise<Ran> => {
    const { status, stdout, stderr } = await repository.run([...words, "--json"]);
    const done = JSON.parse(stdout === "" ? "{}" : stdout) as SessionDocument;
    if (done.session) known = done.session;
    return { status, stdout, stderr, done };
  };
  return {
    ...repository,
    answers,
    start: (...words) => conduct(["start", ...words]),
    resume: (...words) => conduct(["resume", ...words]),
    decide: async (...words) => repository.run(["decide", ...words]),
    file: (name) => readFileSync(file(name), "utf8"),
    has: (name) => existsSync(file(name)),
    status: () => JSON.parse(readFileSync(file("status.json"), "utf8")) as StatusDocument,
    launch: repository.start,
    dispatches: async () => {
      const events = await sessionEvents(repository);
      return events.flatMap(({ event, dispatched }) =>
        event === "dispatch" ? [dispatched?.role ?? ""] : [],
      );
    },
    returns: async () => {
      let last = "";
      return (await sessionEvents(repository)).flatMap(({ event, dispatched }) => {
        last = dispatched?.purpose ?? last;
        return event === "return" ? [last] : [];
      });
    },
  };
}

interface SessionEventData {
  readonly event?: string;
  readonly dispatched?: { readonly role: string; readonly purpose: string };
}

async function sessionEvents({ path }: LandRepository): Promise<readonly SessionEventData[]> {
  const ledger = await openSqliteLedger({ folder: join(path, ".git", "lockstep"), create: false });
  try {
    const events = await ledger.events();
    return events
      .filter(({ type }) => type.startsWith("session."))
      .map(({ data }) => data as SessionEventData);
  } finally {
    ledger.close();
  }
}
