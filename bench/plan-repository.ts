import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../test/support/temporary-folder.ts";
import { childEnvironment } from "./child-environment.ts";

/** The same number for every plan, so that all checkouts have the same size. */
const files = 40;

const answer = {
  status: "OK",
  summary: "made",
  artifacts: { files_changed: [], commands_to_run: [], notes: [] },
  gates: { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] },
  next: { recommended_agent: "Orchestrator", recommended_task_id: "same", reason: "done" },
};

export const instantAnswer = JSON.stringify(answer);

/** Takes almost no time: writes the number of its task into the task's file, and answers. */
const agent = `number=\${LOCKSTEP_TASK##*-}
echo $number > made/$((number % ${files})).txt
echo '${instantAnswer}'
`;

/** A repository with a plan on which only Lockstep spends time. */
export function planRepository(tasks: number): TemporaryFolder {
  const folder = temporaryFolder({
    "agent.sh": agent,
    ".lockstep/config.yaml": "agents:\n  instant: { adapter: command, run: [sh, agent.sh] }\n",
    "tasks.yaml": JSON.stringify({ tasks: Array.from({ length: tasks }, (_, at) => taskOf(10_000 + at)) }),
  });
  for (let at = 0; at < files; at += 1) folder.write(join("made", `${at}.txt`), "nothing yet\n");
  const git = (...words: string[]) =>
    execFileSync("git", words, { cwd: folder.path, env: childEnvironment() });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Bench");
  git("config", "user.email", "bench@localhost");
  git("add", "--all");
  git("commit", "--quiet", "--message=base");
  return folder;
}

function taskOf(number: number) {
  const file = `made/${number % files}.txt`;
  return {
    id: `T-${number}`,
    goal: "make it",
    lock_scope: [file],
    acceptance_checks: [`cmd: grep -qx ${number} ${file}`],
  };
}
