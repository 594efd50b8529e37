/** A section of a TOML or INI file: its header line and the lines up to the next header. */
interface Section {
  /** `[tool.ruff]` is `tool.ruff`, `[[test]]` is `test`; the part before the first header is ``. */
  readonly name: string;
  readonly lines: readonly string[];
}

/** Which parts of a manifest belong to the checks. */
interface SectionRules {
  isTool(name: string): boolean;
  /** Lines in other sections that also belong to the checks. */
  isKey(section: string, line: string): boolean;
}

/** Tools for checks. Packaging and dependencies belong to the product. */
const pythonTools =
  /^tool\.(?:pytest|coverage|tox|nox|ruff|flake8|pylint|mypy|pyright|basedpyright|pytype|ty|black|isort|bandit|hatch\.envs|poe|taskipy|pdm\.scripts|interrogate|pydocstyle|vulture|doctest|ward|behave|invoke)(?:[.-]|$)/;
const iniTools =
  /^(?:tool:pytest|pytest|aliases|coverage(?::.*)?|flake8|mypy(?:-.*)?|pylint.*|isort|tox.*|testenv.*|pycodestyle|pydocstyle|nosetests|unittest|test|doctest)$/;
const rustTools = /^(?:test|bench|profile(?:\..*)?|lints(?:\..*)?|workspace\.lints(?:\..*)?)$/;

const rulesByName: readonly (readonly [RegExp, SectionRules])[] = [
  [/(?:^|\/)pyproject\.toml$/, { isTool: (name) => pythonTools.test(name), isKey: isPythonKey }],
  [/(?:^|\/)setup\.cfg$/, { isTool: (name) => iniTools.test(name), isKey: () => false }],
  [
    /(?:^|\/)Cargo\.toml$/,
    {
      isTool: (name) => rustTools.test(name),
      isKey: (_section, line) =>
        /^\s*(?:autotests|autobenches|test|doctest|harness|proc-macro-test)\s*=/.test(line),
    },
  ],
];

/** Dotted keys and inline tables: `[tool]` with `pytest = {…}`, or `tool.pytest.x = …` at the top. */
function isPythonKey(section: string, line: string): boolean {
  const [, key = ""] = /^\s*([\w."'-]+)\s*=/.exec(line) ?? [];
  const plain = key.replaceAll(/["']/g, "");
  return (
    (section === "" && pythonTools.test(plain)) || (section === "tool" && pythonTools.test(`tool.${plain}`))
  );
}

export function hasSections(path: string): boolean {
  return rulesByName.some(([name]) => name.test(path));
}

/** The change's file with the base's tool sections; the change's own text if these are equal. */
export function mixSections(path: string, base: string, changed: string): string {
  const rules = rulesByName.find(([name]) => name.test(path))?.[1];
  if (rules === undefined) return changed;
  const [old, now] = [sectionsOf(base), sectionsOf(changed)];
  if (toolText(old, rules) === toolText(now, rules)) return changed;
  const kept = now
    .filter(({ name }) => !rules.isTool(name))
    .map((section) => withKeys(section, keysIn(old, section.name, rules), rules));
  const tools = old.filter(({ name }) => rules.isTool(name));
  return `${[...kept, ...tools]
    .flatMap(({ lines }) => lines)
    .join("\n")
    .trimEnd()}\n`;
}

/** The names of sections whose tool settings differ. */
export function sectionChanges(path: string, base: string, changed: string): readonly string[] {
  const rules = rulesByName.find(([name]) => name.test(path))?.[1];
  if (rules === undefined) return [];
  const [old, now] = [sectionsOf(base), sectionsOf(changed)];
  const names = new Set([...old, ...now].map(({ name }) => name));
  return [...names].flatMap((name) => {
    const [before, after] = [old, now].map((list) => list.filter((one) => one.name === name));
    if (toolText(before ?? [], rules) === toolText(after ?? [], rules)) return [];
    const how = before?.length === 0 ? "added" : after?.length === 0 ? "removed" : "changed";
    return [`\`[${name}]\` ${how}`];
  });
}

function sectionsOf(text: string): readonly Section[] {
  const sections: { name: string; lines: string[] }[] = [{ name: "", lines: [] }];
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    const header = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(?:[#;].*)?$/.exec(line)?.[1];
    if (header === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ name: header.replaceAll(/["'\s]/g, ""), lines: [line] });
  }
  return sections;
}

/** The lines that belong to the checks, without comments and blank lines. */
function toolText(sections: readonly Section[], { isTool, isKey }: SectionRules): string {
  return sections
    .flatMap(({ name, lines }) => {
      const own = isTool(name) ? lines : lines.filter((line) => isKey(name, line));
      const said = own.map((line) => line.trim()).filter((line) => line !== "" && !/^[#;]/.test(line));
      return said.length === 0 ? [] : [`[${name}]`, ...said];
    })
    .join("\n");
}

function keysIn(sections: readonly Section[], name: string, { isKey }: SectionRules): readonly string[] {
  return sections
    .filter((one) => one.name === name)
    .flatMap(({ lines }) => lines.filter((line) => isKey(name, line)));
}

function withKeys({ name, lines }: Section, own: readonly string[], { isKey }: SectionRules): Section {
  const [header, ...rest] = lines;
  if (header === undefined) return { name, lines };
  const others = rest.filter((line) => !isKey(name, line));
  if (isKey(name, header)) return { name, lines: [...own, ...others] };
  return { name, lines: [header, ...own, ...others] };
}

const testModules = /testify|gomega|ginkgo|go-cmp|gomock|gotest\.tools|check\.v1/;

/** Test libraries that the change takes from another source: Go's `replace`, Cargo's dev-dependencies and patches. */
export function redirectedModules(path: string, before: string, after: string): readonly string[] {
  const added = (text: string) => {
    const old = new Set(before.split("\n").map((line) => line.trim()));
    return text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => !old.has(line));
  };
  if (/(?:^|\/)go\.mod$/.test(path))
    return added(after)
      .filter((line) => /=>/.test(line) && testModules.test(line))
      .map((line) => `a test library is replaced: \`${line}\``);
  if (!/(?:^|\/)Cargo\.toml$/.test(path)) return [];
  return sectionsOf(after)
    .filter(({ name }) => /^(?:dev-dependencies|target\..*\.dev-dependencies|patch)\b/.test(name))
    .flatMap(({ lines }) => added(lines.join("\n")))
    .filter((line) => /\b(?:path|git)\s*=/.test(line))
    .map((line) => `a test library comes from elsewhere: \`${line}\``);
}
