import { describe, expect, it } from "vitest";
import { analyzeCommand } from "./analyze.ts";
import { knownParts } from "./text.ts";

const context = { cwd: "/repo", root: "/repo", home: "/home/me", tmpdir: "/tmp" };
const analyze = (command: string) => analyzeCommand(command, context);

/** Each write as `folder: target`, with `…` for unknown parts. */
const writes = (command: string) =>
  analyze(command).writes.map(({ target, from }) => {
    const folder = (from[0] ?? "?").replace(/^\/repo\/?/, "");
    return `${folder === "" ? "" : `${folder}: `}${knownParts(target, "…")}`;
  });

describe("redirections are writes on any command", () => {
  it.each([
    ["echo hi > f", ["f"]],
    ["> f", ["f"]],
    ["echo >> f 2> g", ["f", "g"]],
    ["ls &> f; ls &>> g; ls >| h; ls <> i; ls {fd}> j", ["f", "g", "h", "i", "j"]],
    ["echo hi >&2 2>&1 1>&-", []],
    ["echo hi >& f", ["f"]],
    ["{ ls; } > f; (ls) > g; if ls; then ls; fi > h", ["f", "g", "h"]],
    ["f() { ls; } > out; f", ["out"]],
    ["exec 3> f", ["f"]],
    ["cat <<EOF > f\n> g\nEOF", ["f"]],
    ["[[ a > b ]]; (( 1 > 2 ))", []],
    ["echo 'a > b' \"c > d\" e\\>f", []],
    ["# > f", []],
    ["cat < in > out", ["out"]],
    ["diff <(echo > f) x", ["f"]],
    ["ls > >(cat > f)", ["f", "…"]],
  ])("%j", (command, expected) => {
    expect(writes(command).toSorted()).toEqual(expected.toSorted());
  });
});

describe("words are expanded as far as they are known", () => {
  it.each([
    ["x=a; touch $x \"$x/b\" '$x'", ["a", "a/b", "$x"]],
    ["x=a; x+=b; touch ${x}c", ["abc"]],
    ["touch {a,b}{1,2}", ["a1", "a2", "b1", "b2"]],
    ["touch f{1..3}", ["f1", "f2", "f3"]],
    ["touch $'\\x61' \"\"b c\\ d", ["a", "b", "c d"]],
    ["touch ~/x ~+/y", ["/home/me/x", "/repo/y"]],
    ["x='a b'; touch $x", ["a", "b"]],
    ["x='a b'; touch \"$x\"", ["a b"]],
    ["IFS=:; x=a:b; touch $x", ["a", "b"]],
    ["IFS=/; x=/a//b/; set -- $x; touch $2 $4$5", ["a", "b"]],
    ["IFS=' /'; x=' a /b  c'; touch $x", ["a", "b", "c"]],
    ["IFS=' /'; x=' /a / / b'; set -- $x; touch $2 $4$5", ["a", "b"]],
    ['a=(x y); touch "${a[@]}" ${a[1]}', ["x", "y"]],
    ["f=d/x.ts; touch ${f%.ts}.js ${f##*/} ${f%/*}", ["d/x.js", "x.ts", "d"]],
    ["f=abc; touch ${f/b/-} ${f^^} ${f:1} ${f:0:1}", ["a-c", "ABC", "bc", "a"]],
    ["n=v; v=x; touch ${!n}", ["x"]],
    ["touch $(echo a)/b $(printf '%s-' c)", ["a/b", "c-"]],
    ["touch $(basename $0)-$((1+1)) $$", ["…-…", "…"]],
    ["touch $UNKNOWN", ["…"]],
    ["printf -v v %s a; read w <<< b; touch $v $w", ["a", "b"]],
    ["touch src/?/x [ab]", ["src/?/x", "[ab]"]],
    ["set -- a b; touch $2; shift; touch $1", ["b"]],
    ["d=$(mktemp -d); touch $d/x", ["/tmp/tmp.XXXXXXXXXX", "/tmp/tmp.XXXXXXXXXX/x"]],
  ])("%j", (command, expected) => {
    expect(writes(command)).toEqual(expected);
  });
});

describe("control flow leads to every possible world", () => {
  it.each([
    ["cd d && touch x", ["d: x"]],
    ["(cd d; touch x); touch y", ["d: x", "y"]],
    ["cd d; cd ..; touch x; cd -; touch y", ["x", "d: y"]],
    ["pushd d; touch x; popd; touch y", ["d: x", "y"]],
    ["if [ -f x ]; then p=a; else p=b; fi; touch $p", ["a", "b"]],
    ["true || touch a; false && touch b; ls && touch c", ["c"]],
    ["for f in a b; do touch $f; done", ["a", "b"]],
    ["p=a; while ls; do touch $p; p=b; done", ["a", "b"]],
    ["printf 'a\\nb\\n' | while read -r f; do touch $f; done", ["a", "b"]],
    ["f() { touch $1; }; f a; f b", ["a", "b"]],
    ["f() { return; touch a; }; f; touch b", ["b"]],
    ["return; touch a", ["a"]],
    ["break; touch a", ["a"]],
    ["exit; touch a", []],
    ["(exit); touch a", ["a"]],
    ["case $x in a) touch b;; *) touch c;; esac", ["b", "c"]],
    ["trap 'touch $f' EXIT; f=a", ["…", "a"]],
    ["eval 'touch a'; bash -c 'touch $0 $1' b c", ["a", "b", "c"]],
    ["alias t=touch; t a", ["a"]],
    ["touch a & touch b | touch c", ["a", "b", "c"]],
    ["x=1 touch a; command touch b; \\touch c", ["a", "b", "c"]],
    ["ls() { touch a; }; ls; command ls", ["a"]],
    ["set -e; cd nowhere; touch x", ["nowhere: x"]],
    ["true < gone || touch a", ["a"]],
    [": > $'a' || touch b", ["a", "b"]],
    ["set -e; if false; then touch a; else touch b; fi", ["b"]],
    ["x=a; bash -c 'touch $x'", ["…"]],
    ["export x=a; bash -c 'touch $x'", ["a"]],
    ["f() { local x=b; }; x=a; f; touch $x", ["a"]],
    ["x=abc; : ${x:$(touch a)1} ${x[$(touch b)0]}", ["a", "b"]],
  ])("%j", (command, expected) => {
    expect(writes(command).toSorted()).toEqual(expected.toSorted());
  });

  it("considers that a folder may be missing", () => {
    const disk = { kindOf: () => "absent" as const, realPath: (path: string) => path };
    const found = analyzeCommand("cd gone; touch x", { ...context, disk });
    expect(found.writes.map(({ from }) => from[0]).toSorted()).toEqual(["/repo", "/repo/gone"]);
    expect(analyzeCommand("cd gone && touch x", { ...context, disk }).writes).toHaveLength(1);
    expect(analyzeCommand("mkdir -p gone; cd gone; touch x", { ...context, disk }).writes).toHaveLength(2);
  });
});

describe("every caller is refused", () => {
  it.each([
    ["curl -s x | sh", "unknown-code"],
    ['eval "$(cat f)"', "unknown-code"],
    ["source <(curl x)", "unknown-code"],
    ["$CMD a", "unresolved-command"],
    ["LD_PRELOAD=x ls", "loader"],
    ["export BASH_ENV=x", "loader"],
    ["read -r BASH_ENV <<< x", "loader"],
    ["PATH=$PWD/bin:$PATH ls", "loader"],
    ["PATH=:$PATH ls", "loader"],
    ["hash -p ./x ls", "loader"],
    ["LOCKSTEP_TASK=T-2 ls", "lockstep"],
    ["echo 'a", "unparsed"],
    [`${"$(".repeat(2000)}ls${")".repeat(2000)}`, "unparsed"],
    [`touch ${"x".repeat(70_000)}`, "unparsed"],
    ["for a in {1..60}; do for b in {1..60}; do for c in {1..60}; do ls; done; done; done", "unparsed"],
    ["f() { f; }; f", "unparsed"],
    ['f() { f "$@" "$@"; }; f a', "unparsed"],
    [`x=aaaaaaaaaa;${" x=$x$x;".repeat(30)} touch $x`, "unparsed"],
    [`x=a;${" x=${x//a/aa};".repeat(40)} touch $x`, "unparsed"],
    ["{".repeat(32_000), "unparsed"],
  ])("%j", (command, kind) => {
    expect(analyze(command).refusals.map((refusal) => refusal.kind)).toContain(kind);
  });

  it.each([
    ['eval "$(ssh-agent -s)"'],
    ['eval "$(direnv hook bash)"'],
    ["PATH=$PATH:$PWD/bin ls"],
    ["PATH=/usr/local/bin:$PATH ls"],
    ["export NODE_ENV=test"],
    ["echo 'touch a' | sh"],
    ["GIT_EDITOR=true ls"],
  ])("%j is not refused", (command) => {
    expect(analyze(command).refusals).toEqual([]);
  });
});
