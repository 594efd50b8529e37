import { describe, expect, it } from "vitest";
import { given, report } from "./recorder.test-support.ts";

const unknown = { kind: "unknown" } as const;
const file = { kind: "file", path: [] } as const;

describe("A text program writes only where its options or script say", () => {
  it.each([
    ["tee -a a b", "write a; write b"],
    ["sponge x", "write x"],
    ["sort -o out in", "write out"],
    ["sort in -oout", "write out"],
    ["sort --compress-program=evil in", "run evil"],
    ["uniq a b", "write b"],
    ["uniq -c a", ""],
    ["shuf -o out in", "write out"],
    ["split -b1k in src/b/x", "write src/b/x<name>"],
    ["split in", "write x<name>"],
    ["csplit -f src/b/x in /a/", "write src/b/x<name>"],
    ["xxd in out", "write out"],
    ["yq -i .a=1 f.yaml", "write f.yaml"],
    ["yq .a f.yaml", ""],
    ["yq e -i .a=1 f.yaml", "write f.yaml"],
    ["sd a b f", "write f"],
    ["dos2unix f", "write f"],
    ["jq . f", ""],
    ["tidy -m f", "write f"],
    ["xmllint --output o x.xml", "write o"],
    ["xmlstarlet ed -L -u a -v b f.xml", "write f.xml"],
    ["ast-grep run -p a -r b -U src/b", "write src/b **"],
    ["jscodeshift -t t.js src/b", "opaque; write src/b **"],
    ["sed -n 1,3p f", ""],
    ["sed -i s/a/b/ f", "write f"],
    ["sed -i.bak -e s/a/b/ f", "write f"],
    ["sed -i '' s/a/b/ f", "write f"],
    ["sed -ni s/a/b/p f", "write f"],
    ["sed --in-place=.bak s/a/b/ f", "write f"],
    ["sed -e 's/a/b/w out' f", "write out"],
    ["sed 'w out' f", "write out"],
    ["sed -n '/w foo/p' f", ""],
    ["sed 's|a|b w x|' f", ""],
    ["sed '1,/x/{s/[/]/y/g;w out' f", "write out"],
    ["sed 'y/abc/xyz/;w out' f", "write out"],
    ["sed '1e touch x' f", "shell touch x"],
    ["sed s/a/b/e f", "refuse unknown-code"],
    ["sed -f prog f", "opaque"],
    ["sed $U f", "opaque; operand f"],
    ["sed -i s/$U/b/ f", "write f"],
    ["awk '{print > \"src/b/x.ts\"}' in", 'code {print > "src/b/x.ts"}; write src/b/x.ts'],
    ["awk '$1 > \"foo\"' in", 'code $1 > "foo"'],
    [
      'awk \'{print $1 >> "o"; print | "sort > z"}\' in',
      'code {print $1 >> "o"; print | "sort > z"}; write o; shell sort > z',
    ],
    ["awk '{print (a > b)}' in", "code {print (a > b)}"],
    ["awk '{print > $1}' in", "code {print > $1}; write $U"],
    ["awk 'BEGIN{system(\"touch x\")}'", 'code BEGIN{system("touch x")}; shell touch x'],
    ["awk 'BEGIN{\"date\" | getline d}'", 'code BEGIN{"date" | getline d}; shell date'],
    ["awk -i inplace '{print}' f", "code {print}; write f"],
    ['awk \'/x>"y"/ {print 1 / 2 > "z"}\' f', 'code /x>"y"/ {print 1 / 2 > "z"}; write z'],
    ["awk -f prog in", "opaque"],
    ["gawk '{print > \"/dev/stderr\"}' f", 'code {print > "/dev/stderr"}; write /dev/stderr'],
    ["vim -es -c '%s/a/b/' -c wq f", "code %s/a/b/; code wq; opaque; write f"],
    ["vim -c ':w out' f", "code :w out; write out; opaque; write f"],
    ["vim -R f", ""],
    ["ex -sc '!touch z' f", "code !touch z; shell touch z; opaque; write f"],
    ["nano f", "write f"],
    ["patch f p.diff", "write f"],
    ["apply_patch $U", "write $U"],
  ])("%s", (line, expected) => {
    expect(report(line)).toBe(expected);
  });

  it.each([
    ["ed f", given("w other\nq"), "write f; code w other\nq; write other"],
    ["ed -s f", given("1d\n!touch z\nq"), "write f; code 1d\n!touch z\nq; shell touch z"],
    ["patch -p1", given("--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b"), "write x.ts"],
    ["patch", given("--- a/src/x.ts\n+++ b/src/x.ts\n@@ -1 +1 @@\n-a\n+b"), "write x.ts"],
    ["patch -d dir -p1", given("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b"), "in dir: write x"],
    ["patch -p0", file, "opaque"],
    ["patch -p0", unknown, "opaque"],
    ["patch --dry-run -p1", file, ""],
    [
      "apply_patch",
      given(
        "*** Begin Patch\n*** Add File: a.ts\n+x\n*** Update File: b.ts\n*** Move to: c.ts\n*** Delete File: d.ts\n*** End Patch",
      ),
      "write a.ts; write b.ts; write c.ts; delete d.ts",
    ],
    ["apply_patch", unknown, "write $U"],
  ] as const)("%s with input", (line, input, expected) => {
    expect(report(line, input)).toBe(expected);
  });
});
