import type { TopFolder } from "./detect-commands.ts";
import { found, none, type SetupPlan } from "./setup-plan.ts";

/** Uses the packages of the system's Python, such as pytest, but never writes there. */
const makeEnvironment = ["python3", "-m", "venv", "--system-site-packages", ".venv"];
const pip = [".venv/bin/python", "-m", "pip", "install", "--disable-pip-version-check", "--quiet"];

/** Files that list packages for pip. */
export const requirements = [
  ...["requirements.txt", "requirements-dev.txt", "requirements-test.txt", "requirements_dev.txt"],
  ...["requirements_test.txt", "dev-requirements.txt", "test-requirements.txt"],
];

/** Every variant installs into `.venv` in the tree. */
export function pythonSetup(top: TopFolder): SetupPlan | undefined {
  if (top.has("uv.lock")) return found("uv.lock", ["uv", "sync", "--frozen"]);
  if (top.has("poetry.lock")) return found("poetry.lock", ["poetry", "install", "--no-interaction"]);
  if (top.has("pdm.lock")) return none("pdm.lock", "pdm sync");
  if (top.has("Pipfile")) return none("Pipfile", "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev");
  const project = top.text("pyproject.toml") ?? "";
  if (hasSection(project, "tool.uv"))
    return found("pyproject.toml with [tool.uv], without a lock file", ["uv", "sync"]);
  if (hasSection(project, "tool.poetry"))
    return found("pyproject.toml with [tool.poetry], without a lock file", [
      ...["poetry", "install", "--no-interaction"],
    ]);
  const listed = requirements.filter(top.has);
  const source = packageIn(top, project);
  const files = [...listed, ...(source === undefined ? [] : [source])];
  if (files.length === 0)
    return top.has("pyproject.toml") ? none("pyproject.toml names nothing to install") : undefined;
  const wanted = [
    ...listed.flatMap((name) => ["-r", name]),
    ...(source === undefined ? [] : ["-e", `.${extrasIn(project)}`]),
  ];
  return found(`${files.join(", ")}, into .venv`, makeEnvironment, [...pip, ...wanted]);
}

/** The file that makes the project itself a package. */
function packageIn(top: TopFolder, project: string): string | undefined {
  if (hasSection(project, "build-system") || namesPackages(project)) return "pyproject.toml";
  if (top.has("setup.py")) return "setup.py";
  return hasSection(top.text("setup.cfg") ?? "", "metadata") ? "setup.cfg" : undefined;
}

/** A `[project]` without a build and without dependencies is tested in place. */
function namesPackages(project: string): boolean {
  return /^(?:dependencies\s*=\s*\[\s*[^\]\s]|dynamic\s*=.*dependencies|\[project\.optional-dependencies\])/m.test(
    project,
  );
}

/** The project's extras with the packages that its tests need. */
function extrasIn(project: string): string {
  const [, section = ""] =
    /^\[project\.optional-dependencies\][^\n]*\n((?:(?!^\[)[^\n]*\n?)*)/m.exec(project) ?? [];
  const names = [...section.matchAll(/^\s*["']?(tests?|testing|dev)["']?\s*=/gm)].map(([, name]) => name);
  return names.length === 0 ? "" : `[${names.join(",")}]`;
}

function hasSection(text: string, name: string): boolean {
  const escaped = name.replaceAll(".", "\\.");
  return new RegExp(`^\\[\\[?${escaped}[\\].]`, "m").test(text);
}
