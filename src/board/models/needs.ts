import type { Answer, NeedItem, Needs, Subject } from "../../contract/board.ts";
import { agentOfKey, isMeta, sessionOfKey } from "../../core/names/task-name.ts";
import { outputOf } from "../../core/proof/check-record.ts";
import { gateOf } from "../../core/session/gate-ids.ts";
import { decisionKinds } from "../../core/tasks/decision-kinds.ts";
import { isStringList } from "../../core/values/fields.ts";
import { decisionName } from "../../engine/decisions/decision-ids.ts";
import { openDecisions } from "../../engine/decisions/open-decisions.ts";
import type { TaskStatus } from "../../engine/views/read-status.ts";
import type { Decision } from "../../ledger/ledger.ts";
import {
  answersTo,
  decideCommands,
  findingGroups,
  type Need,
  needsPerson,
  questionText,
} from "../../view/needs-person.ts";
import { actionsFor } from "./actions.ts";
import { cut, fitting } from "./bounded.ts";
import type { BoardPlace, Look } from "./look.ts";
import { isShown } from "./overview.ts";

const textMax = 4000;
const findingsMax = 30;

/** What the terminal shows as waiting for the person, in the same order and words, with what each is about. */
export async function needs({ engine }: BoardPlace, look: Look): Promise<Needs> {
  const { names, status, byKey } = look;
  const pending = await openDecisions(engine);
  const asked = new Map(pending.map((one) => [one.id, one]));
  const found = needsPerson(status.decisions, status.tasks.filter(isShown), names.of, status.landings);
  const items = found.flatMap((need): NeedItem[] => {
    const { of } = need;
    if ("branch" in of)
      return [landingItem(need, status.landings.find(({ branch }) => branch === of.branch)?.at ?? null)];
    if ("task" in of) {
      const task = byKey.get(of.task);
      return task === undefined ? [] : [taskItem(task, need)];
    }
    const decision = asked.get(of.decision);
    return decision === undefined ? [] : [decisionItem(decision, pending, look)];
  });
  return { items: fitting(items), total: items.length };
}

function landingItem({ name, text, commands }: Need, at: string | null): NeedItem {
  return {
    ...empty,
    id: name,
    of: "landing",
    kind: "landing",
    name,
    about: name,
    at,
    text: cut(text, textMax),
    commands,
  };
}

function taskItem(task: TaskStatus, { name, text, commands }: Need): NeedItem {
  const { key, title, code, reason, started_at: at, evidence, attempts, waits } = task;
  const failing = evidence.flatMap((one) =>
    "after" in one && one.outcome !== "pass" ? [outputOf(one.after)] : [],
  );
  const output = [...(reason?.includes("\n") ? [reason] : []), ...failing].join("\n\n");
  const [why = "task"] = waits.flatMap((wait) => (wait.on === "person" ? [wait.why] : []));
  return {
    ...{ ...empty, id: key, of: "task", kind: why, name, task: key, about: title ?? key, at, commands },
    text: cut(text || (code ?? ""), textMax),
    subjects: [
      ...(output === "" ? [] : [{ kind: "output", text: cut(output, textMax) } as const]),
      ...(attempts === 0 ? [] : [{ kind: "diff", task: key } as const]),
    ],
    actions: actionsFor(task, name),
  };
}

const empty = {
  task: null,
  at: null,
  findings: [],
  answers: [],
  subjects: [],
  actions: [],
  commands: [],
} as const;

function decisionItem(one: Decision, pending: readonly Decision[], { names, byKey }: Look): NeedItem {
  const { id, kind, task, askedAt: at, data } = one;
  const known = byKey.get(task);
  const findings = findingGroups((data?.findings ?? []).slice(0, findingsMax).map((line) => cut(line, 600)));
  return {
    ...{ id, of: "decision", kind, at, findings },
    name: decisionName(pending, id),
    task: known === undefined ? null : task,
    about: aboutText(task) ?? known?.title ?? names.of(task),
    text: cut(questionText(one, names.of), textMax),
    answers: answerForms(one),
    subjects: subjectsOf(one, known),
    actions: [],
    commands: decideCommands(one, pending),
  };
}

/** For questions that are not about a task. */
function aboutText(key: string): string | undefined {
  const agent = agentOfKey(key);
  if (agent !== undefined) return `agent ${agent}`;
  return isMeta(key) ? (sessionOfKey(key) ?? undefined) : undefined;
}

/** The buttons of a decision. `accept: …` alone means that a text is required, next to `accept` that it is possible. */
export function answerForms({ id, kind, options, data }: Decision): readonly Answer[] {
  const forms = new Map<string, Answer["text"]>();
  for (const answer of answersTo({ kind, options })) {
    const [, word = "", rest] = /^(.*?)(: …)?$/s.exec(answer) ?? [];
    if (answer === "…") forms.set("answer", "required");
    else if (rest === undefined) forms.set(word, forms.get(word) ?? "none");
    else forms.set(word, forms.has(word) ? "optional" : "required");
  }
  if (gateOf(id) === "APPROVE_DESIGN") {
    forms.clear();
    forms.set("approved", "none").set("changes-requested", "required");
  }
  if (kind === "weakened" && forms.has("refuse")) forms.set("refuse", "optional");
  return [...forms].map(([word, text]) => ({ word, text, recommended: word === data?.recommended }));
}

function subjectsOf({ kind, task, data }: Decision, known: TaskStatus | undefined): readonly Subject[] {
  const { documents = [], before = [], paths, why = "", commit } = data ?? {};
  return [
    ...(isStringList(paths)
      ? [{ kind: "paths", paths: paths.slice(0, 50), why: cut(why, 600) } as const]
      : []),
    ...(documents.length === 0
      ? []
      : [
          {
            kind: "documents",
            files: documents.map(({ file }) => file),
            hasChanges: before.length > 0,
          } as const,
        ]),
    ...(known !== undefined && known.attempts > 0 && (commit != null || decisionKinds[kind].diff === "always")
      ? [{ kind: "diff", task } as const]
      : []),
  ];
}
