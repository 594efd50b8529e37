import { describe, expect, it } from "vitest";
import { given, report } from "./recorder.test-support.ts";

const unknown = { kind: "unknown" } as const;
const file = { kind: "file", path: [] } as const;

describe("Shell code is followed, and unknown code for a shell is refused", () => {
  it.each([
    ["bash -c 'echo hi > x' a b", "shell echo hi > x | a | b"],
    ["bash -ec x", "shell x"],
    ["bash -euo pipefail -c x", "shell x"],
    ["bash -oc pipefail x", "shell x"],
    ["bash +e -c x", "shell x"],
    ["bash -lc x", "shell x"],
    ["bash -c -e x", "shell x"],
    ["bash -c $U", "shell $U"],
    ["sh script.sh a b", "opaque; operand a; operand b"],
    ["bash", "opaque"],
    ["bash -i -c x", "refuse loader; shell x"],
    ["bash --rcfile f -c x", "refuse loader; shell x"],
    ["bash --init-file=f", "refuse loader; opaque"],
    ["bash -n s.sh", ""],
    ["fish --command=x", "shell x"],
    ["busybox touch x", "run touch x"],
  ])("%s", (line, expected) => {
    expect(report(line)).toBe(expected);
  });

  it.each([
    ["bash", given("echo hi"), "shell echo hi"],
    ["bash", unknown, "refuse unknown-code"],
    ["bash", file, "refuse unknown-code"],
    ["bash -s a b", given("echo hi"), "shell echo hi | bash | a | b"],
    ["bash -", given("echo hi"), "shell echo hi"],
    ["bash /dev/stdin", given("x"), "shell x | /dev/stdin"],
  ] as const)("%s with input", (line, input, expected) => {
    expect(report(line, input)).toBe(expected);
  });
});

describe("Inline code is reported, a script makes a call opaque, and files edited in place are writes", () => {
  it.each([
    ["python3 -c 'open(1)' arg", "code open(1); opaque; operand arg"],
    ["python3 script.py src/b", "opaque; operand src/b"],
    ["python3.12 -c x", "code x; opaque"],
    ["python3 -m pytest src/b", "opaque; run pytest src/b"],
    ["python -m json.tool a b", "opaque; write b"],
    ["python -m venv .venv", "opaque; write .venv **"],
    ["python -m http.server", "opaque"],
    ["python -m foo src/b", "opaque; operand src/b"],
    ["python -Bc x", "code x; opaque"],
    ["python -um black src", "opaque; run black src"],
    ["python3", "opaque"],
    ["python --version", ""],
    ["node -e x", "code x; opaque"],
    ["node --eval=x", "code x; opaque"],
    ["node -pe x", "code x; opaque"],
    ["node s.js src/b", "opaque; operand src/b"],
    ["node --test src/b", "opaque"],
    ["node --check f", ""],
    ["node --require ./x s.js", "opaque; code ./x; opaque"],
    ["perl -c x.pl", "opaque"],
    ["perl -i../b/x -pe 1 f", "write $U; code 1; opaque; write f"],
    ["perl -Mstrict -e 1", "opaque; code strict; code 1; opaque"],
    ["node node_modules/.bin/prettier --write src/b", "opaque; run prettier --write src/b"],
    ["node node_modules/@anthropic-ai/claude-code/cli.js -p x", "opaque; run claude -p x"],
    ["node /x/bin/lockstep.cjs stop-all", "run lockstep stop-all"],
    ["node --redirect-warnings=w s.js", "write w; opaque"],
    ["deno run -A x.ts", "opaque"],
    ["deno eval x", "code x; opaque"],
    ["deno fmt src", "write src **"],
    ["deno fmt --check src", ""],
    ["bun x.ts", "opaque"],
    ["bun -e x", "code x; opaque"],
    ["bun x prettier --write d", "run prettier --write d"],
    ["perl -pi -e s/a/b/ f", "code s/a/b/; opaque; write f"],
    ["perl -i.bak -pe s/a/b/ f", "code s/a/b/; opaque; write f"],
    ["perl -e x f", "code x; opaque; operand f"],
    ["perl -lane print f", "code print; opaque"],
    ["perl -0777 -pi -e x f", "code x; opaque; write f"],
    ["perl s.pl f", "opaque; operand f"],
    ["ruby -pi -e '$_' f", "code $_; opaque; write f"],
    ["ruby -C dir -e x", "in dir: code x; in dir: opaque"],
    ["php -r x", "code x; opaque"],
    ["php -l f", ""],
    ["lua -e x", "code x; opaque"],
    ["Rscript -e x", "code x; opaque"],
    ["osascript -e x", "code x; opaque"],
    ["ts-node -e x", "code x; opaque"],
    ["pwsh -c 'Set-Content src/b/x.ts hi'", "code Set-Content src/b/x.ts hi; opaque; write src/b/x.ts"],
    [
      'powershell -Command "Remove-Item -Recurse src\\b; Copy-Item a b"',
      "code Remove-Item -Recurse src\\b; Copy-Item a b; opaque; delete src/b **; write b",
    ],
    ["powershell -enc abc", "refuse unknown-code"],
    ["pwsh -File x.ps1 a", "opaque; operand a"],
    [
      "pwsh -NoProfile -Command \"'hi' | Out-File -FilePath src/b/x.ts\"",
      "code 'hi' | Out-File -FilePath src/b/x.ts; opaque; write src/b/x.ts",
    ],
    ['pwsh -c "Get-Content a > b"', "code Get-Content a > b; opaque; write b"],
    ["pwsh -c 'Get-ChildItem'", "code Get-ChildItem; opaque"],
    ["pwsh -c 'Set-Content -Path $x -Value 1'", "code Set-Content -Path $x -Value 1; opaque; write $U"],
    ["cmd /c 'del x'", "code del x; opaque; delete x **"],
  ])("%s", (line, expected) => {
    expect(report(line)).toBe(expected);
  });

  it.each([
    ["python -", given("code"), "code code; opaque"],
    ["python3", unknown, "opaque"],
  ] as const)("%s with input", (line, input, expected) => {
    expect(report(line, input)).toBe(expected);
  });
});

describe("Other agents, and Lockstep's commands for people, are refused", () => {
  it.each([
    ["claude -p x", "refuse agent"],
    ["claude --version", ""],
    ["codex exec x", "refuse agent"],
    ["gemini", "refuse agent"],
    ["aider", "refuse agent"],
    ["q chat", "refuse agent"],
    ["lockstep status", ""],
    ["lockstep --json status", ""],
    ["lockstep run", "refuse lockstep"],
    ["lockstep task escalate T-1", ""],
    ["lockstep task cancel T-1", "refuse lockstep"],
    ["lockstep --help", ""],
    ["lockstep --foo status", "refuse lockstep"],
    ["kill 123", ""],
    ["kill -9 -1", "refuse lockstep"],
    ["pkill -f lockstep", "refuse lockstep"],
    ["killall node", "refuse lockstep"],
  ])("%s", (line, expected) => {
    expect(report(line)).toBe(expected);
  });
});
