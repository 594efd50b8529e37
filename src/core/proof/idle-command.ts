import { field } from "../values/fields.ts";

/** A command that can only succeed: it prints something or does nothing. */
export function isIdle(command: string): boolean {
  const steps = command.split(/&&|\|\||[;\n]/).map((step) => step.trim());
  return steps.every(
    (step) => step === "" || /^(?:true|:|exit(?: 0)?|(?:echo|printf)(?: [^$`|<>&]*)?)$/.test(step),
  );
}

/** The script of package.json that a command runs, if it runs one and does nothing else. */
export function scriptOf(command: string): string | undefined {
  const [, short, long] =
    /^(?:npm|pnpm|yarn|bun)\s+(?:(t|tst|test)|(?:run|run-script)\s+([\w:.-]+))(?:\s+-\S+)*\s*$/.exec(
      command.trim(),
    ) ?? [];
  return short === undefined ? long : "test";
}

/** Whether a script of package.json is idle, with those that npm runs before and after it. */
export function isIdleScript(manifest: string, name: string): boolean {
  try {
    const scripts = field(JSON.parse(manifest), "scripts");
    const [before, own, after] = [`pre${name}`, name, `post${name}`].map((one) => field(scripts, one));
    return (
      typeof own === "string" && [before, own, after].every((one) => typeof one !== "string" || isIdle(one))
    );
  } catch {
    return false;
  }
}
