/** Spellings of paths, for commands that are executed: `/repo` stands for the repository. */
const words = (text: string) => text.split(" ");

export const inLock = [
  ...words("src/a/x.ts src/a/ok.ts src/a/new.ts src/a src/a/ src/a/deep src/a/fresh.ts src/a/fresh/y.ts"),
  ...words('./src/a/x.ts $PWD/src/a/x.ts src/a/*.ts src/a/{x,ok}.ts src/a/"x".ts src//a/./x.ts src/a/here'),
  ...words("src/b/../a/x.ts ~+/src/a/x.ts /repo/src/a/x.ts docs/into/x.ts src/a/?.ts"),
  ...words("src/a/[xo]*.ts src/[a]/x.ts src/a/list.txt src/a/in.ts src/a/deep/y.ts src/a/fix.diff src/a/**"),
  ...words("src/a/. src/a/deep/.. src/a/deep/../x.ts src/a/x.ts~ src/a/x.tar src/a/x.ts.gz src/a/$RANDOM"),
  "src/a/$(echo x).ts",
  "'src/a/a b.ts'",
  "src/a/a\\ b.ts",
  '"$PWD"/src/a/ok.ts',
  "$'src/a/\\x78.ts'",
];

export const outside = [
  ...words("src/b/x.ts docs/guide.md README.md src/b docs .git/config .env build/out.js ~/notes . .."),
  ...words("../beside/file src/a/../b/x.ts src/{b,a}/x.ts src/*/x.ts $HOME/notes out/hosts notes.txt src"),
  ...words(
    "src/b/untracked.ts .git .git/hooks/pre-commit * *.md /repo/README.md none.ts docs/new.md {,} src/a/..",
  ),
  ...words(
    ".gitignore .git/refs/heads/other src/b/*.ts package.json ~ $PWD $OLDPWD/x '' src/a.ts src/ab/x p.diff",
  ),
];

export const throughLinks = words(
  "src/a/link-b/x.ts src/a/lf src/a/dangling src/a/link-b src/a/link-b/ src/a/up/README.md src/a/link-b/../z.ts src/a/up src/a/l* src/a/link-b/* out docs/into/../../b/x.ts docs/into/lf src/a/*/x.ts src/a/up/src/a/x.ts",
);

export const temporary = words(
  `/tmp/x /tmp/d/ /tmp /tmp/x.tar \${TMPDIR:-/tmp}/y /var/tmp/z /tmp/../repo $(mktemp) /dev/null /dev/stdout - /dev/fd/3`,
);

/** Spellings relative to a folder of the repository. */
export const relative = words(
  "x.ts ok.ts ../b/x.ts ../a/x.ts link-b/x.ts .. lf ../../README.md deep/y.ts *.ts y.ts new",
);
