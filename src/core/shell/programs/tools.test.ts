import { describe, expect, it } from "vitest";
import { report } from "./recorder.test-support.ts";

describe("A package manager is opaque, writes its own files, or runs a program", () => {
  it.each([
    ["npm run build -- src/b", "opaque; operand src/b"],
    ["npm test -- src/b", "opaque"],
    ["npm test -- -u src/b", "opaque; operand src/b"],
    ["npm ci", "opaque"],
    ["npm pkg delete scripts.test", "write package.json"],
    ["npm pkg get x", ""],
    ["npm version patch", "write package.json; write package-lock.json"],
    ["npm init -y", "write package.json"],
    ["npm config set x y", "refuse loader"],
    ["npm config get x", ""],
    ["npm x prettier -- --write d", "run prettier --write d"],
    ["npm --prefix sub run x", "operand sub; in sub: opaque"],
    ["npm ls", ""],
    ["npm run x --script-shell=/x", "refuse loader; opaque; operand /x"],
    ["pnpm dlx prettier --write d", "run prettier --write d"],
    ["pnpm exec touch x", "run touch x"],
    ["pnpm vitest run", "opaque; run vitest run"],
    ["yarn", "opaque"],
    ["yarn prettier --write d", "opaque; run prettier --write d"],
    ["yarn workspace a prettier --write d", "run yarn prettier --write d"],
    ["pip install --target d x", "opaque; operand x; write d **"],
    ["pip list", ""],
    ["pip list --log-file=x", "write x"],
    ["pip config set a b", "refuse loader"],
    ["cargo build", "opaque"],
    ["cargo fmt", "write . **"],
    ["cargo fmt -- --check", ""],
    ["cargo run -- src/b", "opaque; operand src/b"],
    ["cargo new d", "write d **"],
    ["cargo tree", ""],
    ["go build -o bin ./...", "opaque; write bin"],
    ["go fmt ./...", "write . **"],
    ["go run ./x.go src/b", "opaque; operand src/b"],
    ["go mod tidy", "opaque"],
    ["go env -w X=1", "refuse loader"],
    ["go -C sub build -o x", "in sub: opaque; in sub: write x"],
    ["brew install x", "opaque; operand install; operand x"],
    ["apt list", ""],
    ["systemctl enable x", "refuse loader"],
    ["xdg-open x", "opaque; operand x"],
  ])("%s", (line, expected) => {
    expect(report(line)).toBe(expected);
  });
});

describe("An archive program fills a folder or writes the archive", () => {
  it.each([
    ["tar xzf a.tgz", "opaque; write . **"],
    ["tar -xzf a.tgz -C out", "in out: opaque; in out: write . **"],
    ["tar xf a.tgz src/a", "opaque; write src/a **"],
    ["tar czf out.tgz src", "write out.tgz"],
    ["tar -cf - src", ""],
    ["tar tf a.tgz", ""],
    ["tar -xOf a.tgz", ""],
    ["tar --extract --file=a.tgz --directory=src/b", "in src/b: opaque; in src/b: write . **"],
    ["tar xf a --strip-components=1 src", "opaque; write . **"],
    ["tar cf a.tar --remove-files src", "write a.tar; delete src **"],
    ["tar cf a.tar --checkpoint-action=exec='touch x' src", "write a.tar; shell touch x"],
    ["tar -I 'touch x' -tf a", "shell touch x"],
    ["unzip -o a.zip -d out", "opaque; write out **"],
    ["unzip -l a.zip", ""],
    ["tar --force-local -cf x:y src", "write x:y"],
    ["tar -cf h:y src", "opaque"],
    ["tar -cf x -T list", "opaque; write x"],
    ["zip -qT out src -TT 'touch x'", "shell touch x; write out.zip"],
    ["zip -q out src -lf log", "write log; write out.zip"],
    ["xz --files=list", "write $U"],
    ["zstd --rm --filelist=list", "write $U"],
    ["zip -rm out src", "write out.zip; delete src **"],
    ["gzip x", "delete x; write x.gz"],
    ["gzip -k x", "write x.gz"],
    ["gzip -c x", ""],
    ["gunzip x.gz", "delete x.gz; write x"],
    ["zstd x", "write x.zst"],
    ["7z x a.7z -oout", "opaque; write out **"],
    ["ar rcs lib.a x.o", "write lib.a"],
  ])("%s", (line, expected) => {
    expect(report(line)).toBe(expected);
  });
});

describe("A download is written to the named file, or to a file with an unknown name", () => {
  it.each([
    ["curl https://x", ""],
    ["curl -so f https://x", "write f"],
    ["curl -sSLo f https://x", "write f"],
    ["curl --output=f https://x", "write f"],
    ["curl -O https://x/y", "write <name>"],
    ["curl -o f --output-dir d https://x", "write d/f"],
    ["curl -D h -c jar https://x", "write h; write jar"],
    ["curl -K conf", "opaque; operand conf"],
    ["curl -o- https://x", ""],
    ["curl -w '%output{f}x' https://x", "write f"],
    ["wget https://x", "write <name>"],
    ["wget -qO- https://x", ""],
    ["wget -O f https://x", "write f"],
    ["wget -P d https://x", "write d/<name>"],
    ["wget -r https://x", "write . **"],
    ["ssh-keygen -t ed25519 -f k -N ''", "write k; write k.pub"],
    ["ssh-keygen -Y sign -n file -f k x", "write x.sig"],
    ["nc -e /bin/sh h 1", "opaque; shell /bin/sh"],
  ])("%s", (line, expected) => {
    expect(report(line)).toBe(expected);
  });
});

describe("A formatter writes only with its flag, a compiler to its output option", () => {
  it.each([
    ["prettier --write src/b", "write src/b **"],
    ["prettier --check src", ""],
    ["eslint src", "opaque"],
    ["eslint --fix src/b", "opaque; write src/b **"],
    ["eslint --fix", "opaque; write . **"],
    ["biome check --write src/b", "write src/b **"],
    ["biome format --write", "write . **"],
    ["biome check src", ""],
    ["black src/b", "write src/b **"],
    ["black --check src", ""],
    ["ruff check --fix src/b", "write src/b **"],
    ["ruff check src", ""],
    ["ruff format src", "write src **"],
    ["gofmt -w x.go", "write x.go **"],
    ["gofmt -l x.go", ""],
    ["rustfmt x.rs", "write x.rs **"],
    ["rustfmt --check x.rs", ""],
    ["clang-format -style=file -i x.c", "write x.c"],
    ["clang-format x.c", ""],
    ["shfmt -w x.sh", "write x.sh **"],
    ["terraform fmt", "write . **"],
    ["terraform fmt -check", ""],
    ["rubocop -A", "opaque; write . **"],
    ["gcc -o out x.c", "write out"],
    ["gcc x.c", "write a.out"],
    ["gcc -c src/x.c", "write x.o"],
    ["gcc -Wall -fno-omit-frame-pointer -std=c99 -ooutx x.c", "write outx"],
    ["gcc -E x.c", ""],
    ["gcc -E -MD -MFd x.c", "write d"],
    ["gcc -E -Wp,-MD,d x.c", "write d"],
    ["gcc -o o x.c -Wl,-Map=m -Wl,-rpath,/lib", "write o; write m"],
    ["gcc -o o x.c -Xlinker -Map -Xlinker m", "write o; write m"],
    ["gcc -c x.c -o o -fopt-info-all=i", "write o; write i"],
    ["gcc -o o @args", "write o; write $U"],
    ["cpp x.c out", "write out"],
    ["gcc-13 -o x y.c", "write x"],
    ["tsc", "opaque"],
    ["tsc -p . --noEmit", "opaque"],
    ["tsc --outDir d", "write d **"],
    ["esbuild x.ts --bundle --outfile=o.js", "write o.js"],
    ["javac -d out X.java", "opaque; write out **"],
    ["protoc --ts_out=src/b x.proto", "write src/b **"],
    ["pandoc x.md -o y.html", "write y.html"],
    ["convert a.png b.jpg", "write b.jpg"],
    ["mogrify -resize 10 a.png", "write a.png"],
    ["ffmpeg -i a.mp4 -vn b.mp3", "write b.mp3"],
    ["openssl req -x509 -newkey rsa:2048 -keyout k -out c -days 1", "write k; write c"],
    ["openssl req -x509 -newkey rsa:2048 -out c", "write c; write privkey.pem"],
    ["base64 -d f", ""],
    ["sass a.scss:b.css", "write b.css **"],
  ])("%s", (line, expected) => {
    expect(report(line)).toBe(expected);
  });
});

describe("A test runner only reads its operands", () => {
  it.each([
    ["jest src/b", "opaque"],
    ["jest --json --outputFile=o src/b", "opaque; operand o; write o"],
    ["vitest run -u", "opaque"],
    ["pytest src/b", "opaque"],
    ["pytest --junitxml=r.xml src/b", "opaque; write r.xml"],
    ["c8 node x.js", "opaque; run node x.js"],
    ["coverage run x.py", "opaque; run python x.py"],
  ])("%s", (line, expected) => {
    expect(report(line)).toBe(expected);
  });
});

describe("A database client's statements are reported", () => {
  it.each([
    ["psql -c 'select 1'", "opaque; code select 1"],
    ["psql -o f -c x", "opaque; write f; code x"],
    ["psql -c \"copy t to 'f'\"", "opaque; code copy t to 'f'; write f"],
    ["psql -c '\\o f'", "opaque; code \\o f; write f"],
    ["sqlite3 app.db 'select 1'", "code select 1; opaque; operand app.db"],
    ["sqlite3 -readonly app.db 'select 1'", "code select 1"],
    ["sqlite3 :memory: '.sh touch x'", "code .sh touch x; shell touch x"],
    ["sqlite3 :memory: '.sy touch x'", "code .sy touch x; shell touch x"],
    ["sqlite3 :memory: '.read f'", "code .read f; opaque"],
    ["sqlite3 :memory: '.once out'", "code .once out; write out"],
    ["sqlite3 :memory: '.import \"|touch x\" t'", 'code .import "|touch x" t; shell touch x; opaque'],
    ["sqlite3 :memory: \"select writefile('o',1)\"", "code select writefile('o',1); write o"],
    ["sqlite3 :memory: \"select writefile('o'||1,1)\"", "code select writefile('o'||1,1); write $U"],
    ["sqlite3 app.db '.shell touch x'", "code .shell touch x; shell touch x; opaque; operand app.db"],
    ["mysql --tee=f -e x", "opaque; write f; code x"],
  ])("%s", (line, expected) => {
    expect(report(line)).toBe(expected);
  });
});

describe("A reader reports nothing", () => {
  it.each([
    ["ls -la", ""],
    ["cat x", ""],
    ["grep -r 'rm -rf /' src/a", ""],
    ["echo hi", ""],
    ["test 3 -gt 2", ""],
    ["date +%s", ""],
    ["ps aux", ""],
    ["less -o log f", "write log"],
    ["tree -o f", "write f"],
    ["diff a b", ""],
    ["aws s3 ls", "opaque; operand s3; operand ls"],
  ])("%s", (line, expected) => {
    expect(report(line)).toBe(expected);
  });
});

describe("A program is found by other spellings of its name", () => {
  it.each([
    ["RM -rf x", "delete x **; opaque"],
    ["LS", "opaque"],
    ["gsed -i s/a/b/ f", "write f"],
    ["python3.11 s.py", "opaque"],
    ["bash.exe -c x", "shell x"],
    ["no-such-program x", "unknown program"],
  ])("%s", (line, expected) => {
    expect(report(line)).toBe(expected);
  });
});
