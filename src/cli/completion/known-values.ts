import { clientNames } from "../../contract/client-names.ts";
import { isMeta } from "../../core/names/task-name.ts";
import type { LedgerNames } from "../../ledger/sqlite/read-names.ts";
import { currentFolder, findProject, type Project } from "../../workspace/files/find-project.ts";
import { knownLedgerUrl } from "../../workspace/state/ledger-url.ts";
import { stateFolder } from "../../workspace/state/state-folder.ts";
import type { Candidate } from "./complete-words.ts";
import { shells } from "./shells.ts";

type Values = readonly Candidate[] | "files";

/** The candidates for an argument or an option's value, by its name in `--help`: `<task>`, `--agent <agent>`. */
const sources: Readonly<Record<string, () => Values | Promise<Values>>> = {
  task: async () => taskNames(await ledgerNames()),
  session: async () => sessionNames(await ledgerNames()),
  decision: async () => decisionNames(await ledgerNames()),
  branch: branchNames,
  agent: agentNames,
  client: () => words(clientNames),
  point: async () => words((await import("../../core/points/points.ts")).pointNames),
  schema: async () => words((await import("../../contract/json-schemas.ts")).schemaNames),
  [shells.join("|")]: () => words(shells),
  path: () => "files",
  file: () => "files",
  plan: () => "files",
};

export async function knownValues(name: string): Promise<Values> {
  return (await sources[name]?.()) ?? [];
}

function words(all: readonly string[]): readonly Candidate[] {
  return all.map((word) => ({ word }));
}

/** Agents in the sandbox cannot reach the ledger. */
async function ledgerNames(): Promise<LedgerNames> {
  const none = { tasks: [], sessions: [], decisions: [] };
  if (process.env.LOCKSTEP_SOCKET) return none;
  const project = findProject(currentFolder());
  if (knownLedgerUrl(project) !== undefined) return sharedNames(project);
  const { readNames } = await import("../../ledger/sqlite/read-names.ts");
  return (await readNames(stateFolder(project))) ?? none;
}

/** A person waits for the answer at the prompt. */
const sharedMsMax = 500;

async function sharedNames(project: Project): Promise<LedgerNames> {
  const { openProjectLedger } = await import("../open/open-ledger.ts");
  const ledger = await openProjectLedger(project, { waitMs: sharedMsMax });
  try {
    return await ledger.survey();
  } finally {
    ledger.close();
  }
}

/** Tasks with short names first. */
async function taskNames({ tasks }: LedgerNames): Promise<readonly Candidate[]> {
  const { TaskNames } = await import("../../view/task-names.ts");
  const people = tasks.filter(({ key }) => !isMeta(key));
  const names = new TaskNames(people);
  const isLong = ({ word }: Candidate) => word.includes("/");
  const all = people
    .map(({ key, state, title }) => ({ word: names.of(key), about: `${state} ${title ?? ""}`.trim() }))
    .toSorted((one, other) => (one.word < other.word ? -1 : 1));
  return [...all.filter((one) => !isLong(one)), ...all.filter(isLong)];
}

/** Sessions of `run` and `do` are only known by their tasks; `start` also records the session. */
function sessionNames({ tasks, sessions }: LedgerNames): readonly Candidate[] {
  const goals = new Map(sessions.map(({ name, goal }) => [name, goal]));
  const ofTasks = tasks.flatMap(({ key }) => (key.includes("/") ? [key.slice(0, key.indexOf("/"))] : []));
  return [...new Set([...goals.keys(), ...ofTasks])]
    .toSorted()
    .toReversed()
    .map((word) => ({ word, about: goals.get(word) ?? "" }));
}

async function decisionNames({ decisions }: LedgerNames): Promise<readonly Candidate[]> {
  const { decisionName } = await import("../../engine/decisions/decision-ids.ts");
  return decisions.map(({ id, kind, task }) => ({
    word: decisionName(decisions, id),
    about: `${kind} ${isMeta(task) ? "" : task}`.trim(),
  }));
}

async function branchNames(): Promise<readonly Candidate[]> {
  const { git } = await import("../../workspace/git/run-git.ts");
  const format = "--format=%(refname:lstrip=2)%09%(contents:subject)";
  const listed = await git(currentFolder(), ["for-each-ref", format, "refs/heads", "refs/remotes"]);
  return listed.split("\n").flatMap((line) => {
    const [word = "", about = ""] = line.split("\t");
    return word === "" || word.endsWith("/HEAD") ? [] : [{ word, about }];
  });
}

async function agentNames(): Promise<readonly Candidate[]> {
  const { loadConfig } = await import("../../workspace/config/load-config.ts");
  const loaded = await loadConfig(findProject(currentFolder()).place.root);
  if ("faults" in loaded) return [];
  return Object.entries(loaded.config.agents).map(([word, { adapter, role }]) => ({
    word,
    about: `${role}, ${adapter}`,
  }));
}
