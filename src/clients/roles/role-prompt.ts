import { readFileSync } from "node:fs";
import { join } from "node:path";
import { kebabName, roleNames } from "../../core/names/roles.ts";
import { faultLine, wholeFileFault } from "../../workspace/config/config-fault.ts";
import { readConfigFile } from "../../workspace/config/read-config-file.ts";
import { installFolder } from "../../workspace/process/install-folder.ts";

/** The project's own text for a role cannot be used. */
class RoleFileFault extends Error {
  override readonly name = "RoleFileFault";
  readonly code = "E-CONFIG";
}

/** The text with a role's duties: the project's own, else the one that comes with Lockstep. */
export function rolePrompt(role: string, { root }: { readonly root: string }): string {
  const file = projectFile(role);
  const own = file === undefined ? undefined : readConfigFile(root, file);
  if (own === undefined || file === undefined)
    return isRole(role) ? withoutFrontmatter(builtIn(role)) : "Do the task.";
  if ("fault" in own) throw new RoleFileFault(faultLine(own.fault));
  const text = withoutFrontmatter(own.text);
  if (text !== "") return text;
  const fault = wholeFileFault(file, "it is blank", "what the role has to do, or no such file");
  throw new RoleFileFault(faultLine(fault));
}

/** The texts that come with Lockstep, by the path of a project's own text. */
export function builtInRoles(): ReadonlyMap<string, string> {
  return new Map(roleNames.map((role) => [projectFile(role) ?? "", builtIn(role)]));
}

function builtIn(role: string): string {
  return readFileSync(join(installFolder(), "roles", `${kebabName(role)}.md`), "utf8");
}

/** The path of the project's text for a role, which may also be a role of its own. */
function projectFile(role: string): string | undefined {
  const name = kebabName(role);
  return name === "" ? undefined : `.lockstep/roles/${name}.md`;
}

function isRole(role: string): boolean {
  return (roleNames as readonly string[]).includes(role);
}

/** Removes the frontmatter, which is only metadata. */
function withoutFrontmatter(text: string): string {
  return text.replace(/^---\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/, "").trim();
}
