/** Patterns for skips and assertions in common languages and test libraries. */

export const skips =
  /\b(?:it|test|describe|context|suite|bench)(?:\.\w+)*\.(?:skip|todo|only|fails|skipIf|runIf|failing)\b|["']node:test["']\)\.(?:skip|todo|only)\b|\b(?:xit|xdescribe|xtest|xcontext|xspecify|fit|fdescribe|pending)\s*\(|\{\s*(?:skip|todo)\s*:\s*(?!false)|\bthis\.skip\s*\(|\bt\.(?:skip|todo)\s*\(|\bpytest\.(?:mark\.)?(?:skip|xfail|importorskip)|\b(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b|\bskipTest\s*\(|\b[tb]\.(?:Skip|SkipNow|Skipf)\(|\btesting\.Short\(\)|#\[ignore\b|#\[cfg_attr\([^\]]*ignore|@(?:Disabled|Ignore)\b|\/\/go:build\s+(?:ignore|never|false)/g;

export const assertions =
  /\b(?:assert|expect|should|verify)\w*(?:\.\w+)*!?\s*\(|\brequire\.[A-Z]\w*\(|\bassert\s+[^\s=]|\.should\b|\bt\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow|equal|is|true|false|deepEqual|same|ok|not|throws|rejects)\s*\(|\bself\.(?:assert|fail)\w*\s*\(|\bpytest\.raises\b|\bassert\w*!/g;

export function count(pattern: RegExp, text: string | undefined): number {
  return text === undefined ? 0 : (text.match(pattern) ?? []).length;
}

/** A commented-out assertion checks nothing. */
export function withoutComments(path: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const line = /\.(?:py|rb|sh|exs?)$/.test(path)
    ? /^\s*#(?!\[).*$/gm
    : /^\s*(?:\/\/(?!go:build).*|\*.*|\/\*.*)$/gm;
  return text.replace(line, "");
}
