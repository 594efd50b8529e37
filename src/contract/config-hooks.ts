import * as z from "zod";
import { field } from "../core/values/fields.ts";
import { command, entriesOf, name } from "./config-parts.ts";

/** Lifecycle hooks: the commands that run before and after a task is submitted or merged. */

const builtinHooks = ["rebase_on_main", "create_pr", "run_tests", "gatekeeper", "rebase_on_base", "merge_pr"];

const named = name.transform((hook): NamedHook => ({ name: hook, parameters: null }));

const withParameters = z
  .record(name, z.unknown())
  .refine((map) => Object.keys(map).length === 1 && !Object.hasOwn(map, "command"))
  .transform((map): NamedHook => {
    const [[hook, parameters] = ["", null]] = Object.entries(map);
    return { name: hook, parameters };
  })
  .meta({
    description: "a hook's name with its parameters",
    minProperties: 1,
    maxProperties: 1,
    not: { required: ["command"] },
  });

const hook = z
  .union(
    [named, z.strictObject({ command }).describe("a program that follows the hook contract"), withParameters],
    "a hook's name, a map of one name to its parameters, or a map with `command`",
  )
  .meta({ id: "hook" });

const hookList = (when: string) => z.array(hook).nullable().default(null).describe(when);

export const hooks = z
  .strictObject({
    before_submit: hookList("before the agent's work is handed in"),
    after_submit: hookList("after it was handed in"),
    before_merge: hookList("before it is merged"),
    after_merge: hookList("after it was merged"),
  })
  .meta({ id: "hooks" })
  .prefault({});

interface NamedHook {
  readonly name: string;
  /** The value given with the name; null if there is only a name. */
  readonly parameters: unknown;
}

/** Refuses hooks that would do nothing: an unknown name, or a gatekeeper without anything to review. */
export function checkHookNames(config: unknown, context: z.core.$RefinementCtx): void {
  const unknown = field(config, "unknown_hooks");
  for (const { path, hook } of namedHooks(config)) {
    const message = expectedInstead(hook, unknown);
    if (message !== undefined)
      context.addIssue({ code: "custom", path, message, params: { value: hook.name } });
  }
}

function namedHooks(config: unknown): { path: (string | number)[]; hook: NamedHook }[] {
  const places = [{ path: ["hooks"], at: field(config, "hooks") }];
  for (const section of ["agents", "task_types"])
    for (const [key, one] of entriesOf(field(config, section)))
      places.push({ path: [section, key, "hooks"], at: field(one, "hooks") });
  return places.flatMap(({ path, at }) =>
    entriesOf(at).flatMap(([point, list]) =>
      (Array.isArray(list) ? list : []).flatMap((hook, index) =>
        isNamed(hook) ? [{ path: [...path, point, index], hook }] : [],
      ),
    ),
  );
}

function isNamed(hook: unknown): hook is NamedHook {
  return typeof hook === "object" && hook !== null && "name" in hook && "parameters" in hook;
}

function expectedInstead(hook: NamedHook, unknown: unknown): string | undefined {
  if (hook.name === "gatekeeper" && !gatekeeperParameters.safeParse(hook.parameters).success)
    return "what to review, such as { gatekeeper: [qa] }";
  if (unknown === "warn" || builtinHooks.includes(hook.name)) return undefined;
  const names = builtinHooks.map((one) => `\`${one}\``).join(", ");
  return `one of ${names}, a map with \`command\`, or \`unknown_hooks: warn\` next to \`hooks\``;
}

const gatekeeperParameters = z.array(name).min(1);
