/**
 * The role of a file in a project's tests. `test`: a runner collects it. `helper`: code that tests load.
 * `data`: fixtures, snapshots and similar files. `config`: read by a runner, a linter, a type checker or a package
 * manager. `manifest`: contains such settings among others. `script`: named by a check. `ci`: read by a CI service.
 */
export type MaterialKind = "test" | "helper" | "data" | "config" | "manifest" | "script" | "ci";

const code =
  /\.(?:[cm]?[jt]sx?|py|pyi|go|rs|rb|exs?|php|java|kt|kts|scala|cs|swift|c|cc|cpp|h|hpp|sh|bash|pl|pm|lua|dart|vue|svelte)$/;

/** Everything below these folders belongs to the tests. */
const testFolder =
  /(?:^|\/)(?:tests?|__tests?__|specs?|e2e|testdata|test[-_](?:data|utils?|helpers?|support|fixtures?)|testutils?|fixtures|__fixtures__|__snapshots__|__mocks__|cypress|playwright)\//;

const testName = new RegExp(
  [
    String.raw`[._-](?:test|spec|tests|specs|e2e|cy|it)\.\w+$`,
    String.raw`(?:^|\/)(?:test_[^/]+|[^/]+_tests?)\.py$`,
    String.raw`_test\.(?:go|rb|exs?|c|cc|cpp|dart|rs|php)$`,
    String.raw`(?:^|\/)[^/]*(?:Test|Tests|TestCase|Spec)\.(?:php|java|kt|scala|cs|swift)$`,
    String.raw`\.bats$|(?:^|\/)t\/[^/]+\.t$|(?:^|\/)step_definitions\/`,
    String.raw`(?:^|\/)tests?\.(?:[cm]?[jt]sx?|py|sh|rb|lua|pl|rs)$`,
  ].join("|"),
);

const dataName = /\.(?:snap|snapshot|golden|approved\.\w+|expected|feature|cassette)$|\.approved\./;

/** Loaded by a runner automatically: adding one affects every test. */
const hookName =
  /(?:^|\/)(?:conftest\.py|sitecustomize\.py|usercustomize\.py|[^/]+\.pth|setupTests\.\w+|(?:jest|vitest|mocha|test)[.-]?setup\.\w+|setup[.-]?(?:jest|vitest|mocha|tests?)\.\w+|global[.-]?setup\.\w+|spec_helper\.rb|test_helper\.\w+)$/i;

const configName = new RegExp(
  `(?:^|/)(?:${[
    String.raw`(?:vitest|jest|karma|playwright|cypress|mocha|ava|wdio|jasmine|web-test-runner|tap|uvu|vite)(?:\.[\w-]+)*\.(?:config|conf|workspace|shared|projects?)(?:\.[\w-]+)*\.\w+`,
    String.raw`(?:vitest|jest|karma|playwright|cypress|mocha|ava|wdio|jasmine|vite)\.(?:config|conf|workspace|json|projects?)(?:\.\w+)*`,
    String.raw`\.(?:mocharc|nycrc|c8rc|taprc|jasmine|eslintrc|eslintignore|prettierrc|prettierignore|stylelintrc|oxlintrc|babelrc|swcrc|xo-config|rspec)[^/]*`,
    String.raw`(?:eslint|prettier|babel|stylelint|xo|commitlint|lint-staged)\.config\.\w+`,
    String.raw`(?:biome|rome|tslint|jsconfig|turbo|nx|pyrightconfig|knip)\.jsonc?`,
    String.raw`tsconfig[^/]*\.json`,
    String.raw`\.?pytest\.(?:ini|toml)|tox\.ini|\.coveragerc|noxfile\.py|\.?ruff\.toml|\.flake8|\.?pylintrc|\.?mypy\.ini|\.bandit|ty\.toml`,
    String.raw`(?:GNU)?[Mm]akefile|[^/]+\.mk|[Tt]askfile\.ya?ml|\.?justfile|Rakefile|dodo\.py|tasks\.py`,
    String.raw`\.golangci\.\w+|\.?clippy\.toml|\.?rustfmt\.toml|rust-toolchain(?:\.toml)?|nextest\.toml`,
    String.raw`phpunit\.xml[^/]*|phpstan\.neon[^/]*|\.?codecov\.ya?ml|sonar-project\.properties`,
    String.raw`\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.c?js|bunfig\.toml|pip\.conf|uv\.toml|\.env\.test[^/]*`,
  ].join("|")})$|(?:^|/).cargo/config(?:.toml)?$|(?:^|/).config/nextest.toml$`,
);

/**
 * Packages in the repository take precedence over those in the lock file, and the metadata of a Python package can load
 * plugins into pytest.
 */
const vendored =
  /(?:^|\/)(?:node_modules|site-packages|\.yarn|\.pnp\.[cm]?js|\.pnp\.loader\.mjs|[^/]+\.(?:egg-info|dist-info))(?:\/|$)/;

const manifestName =
  /(?:^|\/)(?:package\.json|deno\.jsonc?|pyproject\.toml|setup\.cfg|Cargo\.toml|composer\.json)$/;

const ciName =
  /^(?:\.github\/(?:workflows|actions)\/|\.gitlab-ci|\.gitlab\/|\.circleci\/|\.buildkite\/|\.woodpecker|\.travis\.yml|\.drone\.yml|azure-pipelines|bitbucket-pipelines|appveyor|\.appveyor|Jenkinsfile|\.vscode\/|\.husky\/|\.pre-commit-config|lefthook\.ya?ml|\.?lefthook)/;

/** Judged by the name alone; undefined if the name shows nothing. */
export function kindOf(path: string): MaterialKind | undefined {
  if (vendored.test(path)) return "config";
  if (ciName.test(path)) return "ci";
  if (hookName.test(path)) return "helper";
  if (configName.test(path)) return "config";
  if (testName.test(path)) return "test";
  if (testFolder.test(path)) return code.test(path) ? folderKind(path) : dataKind(path);
  if (dataName.test(path)) return "data";
  return manifestName.test(path) ? "manifest" : undefined;
}

/** Some runners collect every script in a test folder; files named like helpers are loaded by other tests. */
function folderKind(path: string): MaterialKind {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isLoaded =
    /^(?:__init__\.py|mod\.rs|index\.\w+|main\.\w+)$/.test(name) ||
    /(?:^|[._-])(?:helpers?|utils?|common|support|setup|teardown|fixtures?|mocks?|stubs?|fakes?|base|shared|harness|factory|factories|matchers?|asserts?|assertions?)(?:[._-]|$)/i.test(
      name,
    ) ||
    /(?:^|\/)(?:__mocks__|helpers?|support|utils?|common|fixtures|__fixtures__|testdata|mocks?|test[-_]?(?:utils?|helpers?|support))\//.test(
      path,
    ) ||
    /\.py$/.test(name);
  return isLoaded ? "helper" : "test";
}

/** A manifest below a test folder is part of a fixture. */
function dataKind(path: string): MaterialKind {
  return manifestName.test(path) && !/(?:^|\/)(?:fixtures|__fixtures__|testdata)\//.test(path)
    ? "manifest"
    : "data";
}

export function isTestFolder(path: string): boolean {
  return testFolder.test(path);
}

export function isTestPath(path: string): boolean {
  const kind = kindOf(path);
  return kind === "test" || kind === "helper" || kind === "data";
}

/** Names of possible helpers outside test folders, for which the importers are checked. */
export function soundsLikeHelper(path: string): boolean {
  return /(?:^|[/._-])(?:testing|test[-_]?\w*|tests|specs?|fixtures?|mocks?|stubs?|fakes?|harness|asserts?|assertions?|matchers?|expect\w*|helpers?)(?:[/._-]|$)/i.test(
    path,
  );
}
