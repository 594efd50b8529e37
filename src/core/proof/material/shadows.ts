/** Modules of Python that tests and their runners are made of: one of the same name in the tree is loaded instead. */
const pythonModules = new Set(
  (
    "unittest pytest _pytest pluggy iniconfig doctest nose hypothesis mock pytest_asyncio xdist coverage tox nox " +
    "abc argparse ast asyncio atexit base64 bisect builtins calendar codecs collections configparser contextlib copy " +
    "csv dataclasses datetime decimal difflib enum errno fnmatch fractions functools gc glob hashlib heapq html http " +
    "importlib inspect io itertools json linecache locale logging math operator os pathlib pickle pkgutil platform " +
    "pprint queue random re runpy sched secrets select shlex shutil signal site socket sqlite3 statistics string " +
    "struct subprocess sys tempfile textwrap threading time timeit token tokenize traceback types typing unicodedata " +
    "urllib uuid warnings weakref xml zipfile zlib"
  ).split(" "),
);

/** Folders that Python looks for modules in when a runner starts at the project's root. */
const importRoot = /^(?:src|lib|tests?)?$/;

/** True for a new module that is found before the runner's or the language's own. */
export function shadowsRunner(path: string): boolean {
  const module = /^(?:(.*)\/)?([^/]+)\.pyi?$/.exec(path);
  const inPackage = /^(?:(.*)\/)?([^/]+)\/__init__\.py$/.exec(path);
  return [module, inPackage].some(
    (found) => found !== null && importRoot.test(found[1] ?? "") && pythonModules.has(found[2] ?? ""),
  );
}

const patches: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\.[cm]?[jt]sx?$/,
    /\bprocess\.(?:exit|reallyExit|abort|kill|exitCode|on|once|emit|stdout|stderr)\b|\brequire\.cache\b|\bModule\._|\bregisterHooks?\b|\bglobal(?:This)?\.[\w$]+\s*=[^=]|\bglobal(?:This)?\[|\bprototype\b|\b__proto__\b|\bsetPrototypeOf\b|\bdefinePropert(?:y|ies)\b|\bObject\.assign\s*\(\s*(?:\w+[.)]|assert|expect|chai|global|process)|^\s*(?:assert|expect|chai|global|globalThis|console|process|Math|Date|JSON|Object|Array|Promise|Error)(?:\.\w+)+\s*=[^=]|\b(?:mock\.module|vi\.mock|jest\.mock|vi\.stubGlobal)\b|^(?:before|after|beforeEach|afterEach|beforeAll|afterAll)\s*\(|\brootHooks\b|\bmocha\w*\.\w+\s*=/m,
  ],
  [
    /\.py$/,
    /^[A-Za-z_][\w.]*\.[A-Za-z_]\w*\s*=[^=]|^\s*global\b|\bsetattr\s*\(|\bsys\.(?:modules|exit|meta_path|path_hooks|settrace)\b|\bos\._exit\b|\bos\.kill\b|\batexit\b|\bbuiltins\b|\b__builtins__\b|\bpatch(?:\.object|\.dict)?\([^)]*\)\.start\b|^(?:patch|mock)\w*\.start\b|\bpytest_\w+\s*\(|\bdef load_tests\b|\bpytestmark\b|\bimportlib\.reload\b|\bautouse\s*=\s*True|\b(?:TestCase|TestResult|TextTestRunner)\.\w+\s*=[^=]|\bexit\s*\(/m,
  ],
  [
    /\.go$/,
    /^func\s+(?:init|TestMain)\s*\(|\bos\.Exit\b|\bsyscall\.(?:Exit|Kill)\b|\bunsafe\b|\bgo:linkname\b|\bruntime\.Goexit\b/m,
  ],
  [/\.rs$/, /\bprocess::(?:exit|abort)\b|\bpanic::set_hook\b|\bno_mangle\b|\bctor\b/m],
];

/** True if a new test file may change how the others run: it ends the process, or changes what they share. */
export function mayReachOtherTests(path: string, text: string | undefined): boolean {
  if (text === undefined) return true;
  const found = patches.filter(([ending]) => ending.test(path));
  return found.some(([, pattern]) => pattern.test(text));
}
