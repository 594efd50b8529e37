import { outputVariables, whyLoader } from "./loader-variables.ts";
import { LimitExceeded, type Machine, variablesMax } from "./machine.ts";
import { runSubscript } from "./run-nested.ts";
import { literal, unknownText } from "./text.ts";
import { type Value, type World, withVariable } from "./world.ts";

/** Sets a variable, whichever command assigns it. Refuses values that change how later commands are found or loaded. */
export function assign(m: Machine, world: World, name: string, value: Value): World {
  checkLoader(m, world, name, value);
  if (world.variables.size > variablesMax)
    throw new LimitExceeded(`it sets more than ${variablesMax} variables; split it`);
  if (m.integers.has(name) && Array.isArray(value)) for (const text of value) runSubscript(m, text, world);
  if (m.constants.has(name)) return withVariable(world, name, "unknown");
  if (name === "OLDPWD") return { ...withVariable(world, name, "unknown"), previous: undefined };
  if (name === "PWD" || name === "DIRSTACK") return withVariable(world, name, "unknown");
  if (!name.includes("[")) return withVariable(world, name, value);
  runSubscript(m, literal(name), world);
  return withVariable(world, name.slice(0, name.indexOf("[")), "unknown");
}

export function checkLoader(m: Machine, world: World, name: string, value: Value): void {
  const text = Array.isArray(value) ? (value[0] ?? []) : unknownText;
  const why = whyLoader(m, name.replace(/\[.*$/s, ""), text, world);
  if (outputVariables.has(name)) m.report.mention(name, text, world, true);
  if (why !== undefined) m.report.refuse(name.startsWith("LOCKSTEP_") ? "lockstep" : "loader", why);
}
