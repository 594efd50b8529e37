import type { Condition, Needs } from "./conditions.ts";
import { noRepairs, repairsOf, type Session, withRepair } from "./session.ts";
import type { SessionEventOf, SessionEventType } from "./session-event.ts";
import { isRepairLoop, type RepairLoop, repairsMax, type SessionState } from "./states.ts";

/** A transition. For an event, the first row of the state whose `when` is true applies. */
export interface SessionTransition<Type extends SessionEventType = SessionEventType> {
  readonly from: readonly SessionState[];
  readonly event: Type;
  readonly when?: (session: Session, event: SessionEventOf<Type>) => boolean;
  /** The conditions of the transition. */
  readonly needs: Needs;
  to(session: Session, event: SessionEventOf<Type>): SessionState;
  change(session: Session, event: SessionEventOf<Type>, at: string): Partial<Session>;
}

type Extras<Type extends SessionEventType> = Partial<
  Pick<SessionTransition<Type>, "when" | "change"> & { needs: readonly Condition[] | Needs }
>;

function row<Type extends SessionEventType>(
  from: SessionState | readonly SessionState[],
  event: Type,
  to: SessionState | SessionTransition<NoInfer<Type>>["to"],
  { needs = [], ...extras }: Extras<NoInfer<Type>> = {},
): SessionTransition {
  const whole = {
    change: () => ({}),
    ...extras,
    event,
    from: typeof from === "string" ? [from] : from,
    needs: typeof needs === "function" ? needs : () => needs,
    to: typeof to === "string" ? () => to : to,
  };
  // Rows of different events share one table; `rowFor` passes a row only its own kind of event.
  return whole as unknown as SessionTransition;
}

const same = ({ state }: Session) => state;
const working = [
  "INTAKE",
  "INTAKE_LEAN",
  "DESIGN",
  "PLAN",
  "IMPLEMENT_LOOP",
  "INTEGRATE",
  "RELEASE",
] as const;
const repairs = ["FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY", "FIX_BUILD"] as const;
const gates = ["APPROVE_DESIGN", "REVIEW_STRATEGY"] as const;
const unfinished = [...working, ...repairs, ...gates, "ASK_USER"] as const;

const isLean = ({ mode }: Session) => mode === "lean";
const homeOf = (loop: RepairLoop): SessionState => (loop === "FIX_BUILD" ? "INTEGRATE" : "IMPLEMENT_LOOP");
const mayRepair = (session: Session, { task, loop }: SessionEventOf<"repair">) =>
  repairsOf(session, task, loop) < repairsMax;

const begun = {
  when: mayRepair,
  change: (session: Session, { task, loop }: SessionEventOf<"repair">) => ({
    repairs: withRepair(session, task, loop),
    repairsBegun: session.repairsBegun + 1,
    repairing: [
      ...session.repairing.filter((one) => one.task !== task),
      {
        loop,
        task,
        from: isRepairLoop(session.state) ? homeOf(session.state) : session.state,
        number: session.repairsBegun + 1,
      },
    ],
  }),
} as const;

const anew = {
  mode: "full",
  repairing: [],
  strategy: null,
  correction: { status: "none", request: null, last: null },
} as const;

export const sessionTransitions: readonly SessionTransition[] = [
  row("INTAKE", "intake-done", "DESIGN", { needs: ["spec", "acceptance"] }),
  row("INTAKE_LEAN", "intake-done", "IMPLEMENT_LOOP", {
    needs: ["spec", "acceptance", "plan", "single-task"],
  }),
  row(["INTAKE_LEAN", "IMPLEMENT_LOOP", ...repairs], "too-complex", "INTAKE", {
    when: isLean,
    change: ({ assumptions }, { reason }) => ({
      ...anew,
      assumptions: [...assumptions, `too large for lean mode: ${reason}`],
    }),
  }),
  row("DESIGN", "designed", "APPROVE_DESIGN", {
    needs: ({ returned }) => {
      const has = (wanted: string) => returned.some(({ purpose }) => purpose === wanted);
      return [
        "architecture",
        ...(has("research") ? (["research-report"] as const) : []),
        ...(has("design-spec") ? (["design-spec"] as const) : []),
      ];
    },
  }),
  row("APPROVE_DESIGN", "approved", "PLAN", { needs: ["approved-on-disk"] }),
  row("APPROVE_DESIGN", "changes-requested", "APPROVE_DESIGN", {
    change: ({ correction }, { request }) => ({ correction: { ...correction, status: "queued", request } }),
  }),
  row("APPROVE_DESIGN", "corrected", "APPROVE_DESIGN", {
    when: ({ correction, dispatched }) => correction.status === "dispatched" && dispatched === null,
    needs: ["spec", "acceptance", "architecture"],
    change: ({ correction }) => ({ correction: { ...correction, status: "completed" } }),
  }),
  row("APPROVE_DESIGN", "ask-approval", "APPROVE_DESIGN", {
    when: ({ correction }) => correction.status === "none" || correction.status === "completed",
    change: ({ correction }) => ({ correction: { ...correction, status: "none", request: null } }),
  }),
  row("PLAN", "planned", "REVIEW_STRATEGY", { needs: ["plan"] }),
  row("REVIEW_STRATEGY", "strategy-chosen", "IMPLEMENT_LOOP", {
    needs: ["strategy-on-disk"],
    change: (_session, { strategy }) => ({ strategy }),
  }),

  row(["IMPLEMENT_LOOP", "FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY"], "repair", (_, { loop }) => loop, {
    ...begun,
    when: (session, event) => event.loop !== "FIX_BUILD" && mayRepair(session, event),
  }),
  row(["INTEGRATE", "RELEASE", "FIX_BUILD"], "repair", "FIX_BUILD", {
    ...begun,
    when: (session, event) => event.loop === "FIX_BUILD" && mayRepair(session, event),
  }),
  row(repairs, "repaired", afterRepair, {
    when: ({ repairing }, { task }) => repairing.some((one) => one.task === task),
    change: ({ repairing }, { task }) => ({
      repairing: repairing.filter((one) => one.task !== task),
      ci: "unknown",
    }),
  }),
  row([...working, ...repairs], "grant-repairs", same, {
    change: ({ repairs: all }, { task, loop }) => ({
      repairs: { ...all, [task]: { ...noRepairs, ...all[task], [loop]: 0 } },
    }),
  }),
  row("IMPLEMENT_LOOP", "implemented", "INTEGRATE", {
    needs: ({ mode }) => (mode === "lean" ? ["all-completed"] : ["all-completed", "final-review"]),
    change: () => ({ ci: "unknown" }),
  }),
  row("INTEGRATE", "integrated", "DONE", {
    when: isLean,
    needs: ["checks-green", "report", "nothing-pending"],
  }),
  row("INTEGRATE", "integrated", "RELEASE", { needs: ["checks-green"] }),
  row("RELEASE", "released", "DONE", {
    needs: ["report", "all-completed", "checks-green", "nothing-pending"],
  }),

  row([...working, ...repairs], "ask", "ASK_USER", { change: ({ state }) => ({ returnTo: state }) }),
  row("ASK_USER", "answered", ({ returnTo }) => returnTo ?? "INTAKE", {
    needs: ["nothing-pending"],
    change: () => ({ returnTo: null }),
  }),
  row(unfinished, "block", "BLOCKED", {
    change: ({ state }, { blocker }, at) => ({ blocker: { ...blocker, at, from: state } }),
  }),
  row("BLOCKED", "resume", ({ blocker }) => blocker?.from ?? "INTAKE", {
    change: ({ blocker }) => ({
      blocker: null,
      // After an invalid artifact, the role that wrote it is asked again.
      ...(blocker?.code === "artifact_invalid" ? { returned: [] } : {}),
    }),
  }),

  row([...working, ...gates, ...repairs], "dispatch", same, {
    change: ({ correction }, { dispatched }, at) => ({
      dispatched: { ...dispatched, at },
      ...(dispatched.purpose === "correction"
        ? {
            correction: {
              ...correction,
              status: "dispatched",
              last: { agent: dispatched.role, task: "meta", at },
            },
          }
        : {}),
    }),
  }),
  row([...working, ...gates, ...repairs], "return", same, {
    when: ({ dispatched }) => dispatched !== null,
    change: returnedTo,
  }),
  row([...unfinished, "BLOCKED"], "give-up", same, {
    change: ({ correction, dispatched }) => ({
      dispatched: null,
      // The role did not return, so dispatching it again is not a duplicate.
      ...(dispatched?.purpose === "correction" && correction.status === "dispatched"
        ? { correction: { ...correction, status: "queued" } }
        : {}),
    }),
  }),
  row([...unfinished, "BLOCKED"], "note", same, {
    change: (session, { assumptions = [], knownIssues = [], instructionsExist, ...event }, at) => ({
      assumptions: [...new Set([...session.assumptions, ...assumptions])],
      knownIssues: [...new Set([...session.knownIssues, ...knownIssues])],
      ci: event.ci ?? session.ci,
      failedStep: event.failedStep === undefined ? session.failedStep : event.failedStep,
      checksWaived: event.checksWaived ?? session.checksWaived,
      ...(instructionsExist === undefined
        ? {}
        : { instructions: { exists: instructionsExist, checkedAt: at } }),
    }),
  }),
];

const workOf = { Researcher: "research", Designer: "design-spec" } as const;

function returnedTo(
  { returned, dispatched, wants }: Session,
  event: SessionEventOf<"return">,
  at: string,
): Partial<Session> {
  if (dispatched === null) return {};
  const { next } = event.returned;
  const left = wants.filter((one) => one !== dispatched.purpose);
  const wanted = next === "Researcher" || next === "Designer" ? workOf[next] : undefined;
  return {
    returned: [...returned, { ...dispatched, ...event.returned, returnedAt: at }],
    wants: wanted === undefined || left.includes(wanted) ? left : [...left, wanted],
    dispatched: null,
  };
}

/** Several tasks may be in repair at once: the session stays in the loop of a remaining one. */
function afterRepair({ repairing }: Session, { task }: SessionEventOf<"repaired">): SessionState {
  const own = repairing.find((one) => one.task === task);
  const left = repairing.filter((one) => one.task !== task).at(-1);
  if (left !== undefined) return left.loop;
  return own?.from === "RELEASE" ? "INTEGRATE" : (own?.from ?? "IMPLEMENT_LOOP");
}
