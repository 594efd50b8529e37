import type { Replay } from "./replay.ts";

/** The opinion of a person about the question, by repository and the first ten digits of the commit. */
export type Opinions = Readonly<Record<string, { readonly right: boolean; readonly why: string }>>;

/** The figures as Markdown. */
export function historyTables(replays: readonly Replay[], opinions: Opinions): string {
  return [figures(replays, opinions), causes(replays), asked(replays, opinions), others(replays)].join(
    "\n\n",
  );
}

const verdictsSeen = ["passes", "asks", "refused"] as const;

function figures(replays: readonly Replay[], opinions: Opinions): string {
  const names = [...new Set(replays.map(({ name }) => name))].sort();
  const head = [
    ...["Repository", "Runner", "Changes replayed", "Touched test material", "Extra run", "Asked"],
    ...["of these false", "Refused", "Not replayed"],
  ];
  const rows = names.map((name) => {
    const ofName = replays.filter((one) => one.name === name);
    const runners = [...new Set(ofName.map(({ runner }) => runner))].join(", ");
    return [name, runners, ...counts(ofName, opinions)];
  });
  return markdown(head, [...rows, ["**all**", "", ...counts(replays, opinions)]]);
}

function counts(replays: readonly Replay[], opinions: Opinions): readonly string[] {
  const seen = replays.filter(({ verdict }) => verdictsSeen.some((one) => one === verdict));
  const questions = seen.filter(({ verdict }) => verdict === "asks");
  return [
    seen.length,
    seen.filter(({ touched }) => touched.length > 0).length,
    seen.filter(({ ranAgain }) => ranAgain).length,
    questions.length,
    questions.filter((one) => opinions[keyOf(one)]?.right === false).length,
    seen.filter(({ verdict }) => verdict === "refused").length,
    replays.length - seen.length,
  ].map(String);
}

function keyOf({ name, commit }: Replay): string {
  return `${name} ${commit.slice(0, 10)}`;
}

const causeWords: readonly (readonly [RegExp, string])[] = [
  [/ fails$/, "a test of the base fails on the change"],
  [/ is missing$/, "a test of the base is missing"],
  [/ is skipped$/, "a test of the base is skipped"],
  [/assertions? fewer$/, "fewer assertions in the test files"],
  [/ CI /, "a CI file runs fewer checks or ignores a failure"],
  [/ inside the source /, "a test inside a source file is changed or removed"],
  [/ now comes from /, "a test runner comes from elsewhere"],
  [/ test file deleted$/, "a test file is deleted, and its runner lists no tests"],
  [/ more skipped$/, "more tests are skipped, and their runner lists none"],
  [/fails with the base's tests$/, "the check fails with the base's tests, and lists none"],
  [/cannot run with the base's tests/, "the check cannot run with the base's tests"],
];

function causeOf(reason: string): string {
  return causeWords.find(([pattern]) => pattern.test(reason))?.[1] ?? "something else";
}

function causes(replays: readonly Replay[]): string {
  const found = new Map<string, number>();
  for (const { asked: reasons } of replays)
    for (const cause of new Set(reasons.map(causeOf))) found.set(cause, (found.get(cause) ?? 0) + 1);
  const rows = [...found].sort(([, one], [, other]) => other - one);
  return `Why they asked; a change can have several causes:\n\n${markdown(
    ["Cause", "Changes"],
    rows.map(([cause, many]) => [cause, String(many)]),
  )}`;
}

const toldMax = 2;

function asked(replays: readonly Replay[], opinions: Opinions): string {
  const rows = replays
    .filter(({ verdict }) => verdict === "asks")
    .map((one) => {
      const opinion = opinions[keyOf(one)];
      const more = one.asked.length > toldMax ? ` and ${one.asked.length - toldMax} more` : "";
      const told = one.asked.slice(0, toldMax).map(code).join("; ");
      const word = opinion === undefined ? "" : opinion.right ? "rightly: " : "**falsely**: ";
      return [keyOf(one), escaped(one.subject), `${told}${more}`, `${word}${escaped(opinion?.why ?? "")}`];
    });
  return `Every question:\n\n${markdown(["Change", "Subject", "Asked because of", "Rightly?"], rows)}`;
}

function others(replays: readonly Replay[]): string {
  const groups = new Map<string, string[]>();
  for (const { name, verdict, why, commit } of replays) {
    if (verdict !== "refused" && verdict !== "not replayed") continue;
    const key = `${name}: ${verdict}: ${escaped((why ?? "").slice(0, 200))}`;
    groups.set(key, [...(groups.get(key) ?? []), commit.slice(0, 10)]);
  }
  const lines = [...groups]
    .sort()
    .map(([key, commits]) => `- ${key} (${commits.length}: ${commits.join(", ")})`);
  return `Refused or not replayed:\n\n${lines.length === 0 ? "none" : lines.join("\n")}`;
}

function code(text: string): string {
  return `\`${escaped(text.replaceAll("`", "'").slice(0, 120))}\``;
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replace(/\s+/g, " ");
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
