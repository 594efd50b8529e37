import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

/** One package, `tiny` 1.0.0, for every package manager, on a local port. */
export interface LocalRegistry extends AsyncDisposable {
  readonly url: string;
  /** The package files that were requested since the last call. */
  fetched(): readonly string[];
}

type Answer = string | Buffer;

export async function localRegistry(): Promise<LocalRegistry> {
  const asked: string[] = [];
  const answers = new Map<string, Answer>();
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    const answer = answers.get(url);
    response.statusCode = answer === undefined ? 404 : 200;
    response.setHeader("cache-control", "max-age=86400");
    if (url.startsWith("/simple/")) response.setHeader("content-type", "text/html");
    if (url.startsWith("/npm/") && !url.endsWith(".tgz"))
      response.setHeader("content-type", "application/json");
    response.end(answer ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [path, answer] of answersAt(url)) answers.set(path, answer);
  return {
    url,
    fetched: () => asked.splice(0).filter((path) => /\.(?:tgz|whl|zip)$|\/download$/.test(path)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answersAt(url: string): readonly (readonly [string, Answer])[] {
  using folder = temporaryFolder({
    "npm/package/package.json": '{ "name": "tiny", "version": "1.0.0" }',
    "npm/package/index.js": 'module.exports = "tiny";',
    "crates/tiny-1.0.0/Cargo.toml": '[package]\nname = "tiny"\nversion = "1.0.0"\nedition = "2018"\n',
    "crates/tiny-1.0.0/src/lib.rs": 'pub const NAME: &str = "tiny";\n',
    "python/tiny.py": 'name = "tiny"\n',
    "python/tiny-1.0.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0.0\n",
    "python/tiny-1.0.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "python/tiny-1.0.0.dist-info/RECORD": "tiny.py,,\n",
    "go/tiny.example@v1.0.0/go.mod": goMod,
    "go/tiny.example@v1.0.0/tiny.go": 'package tiny\n\nconst Name = "tiny"\n',
  });
  const packed = (kind: string, program: string, ...words: readonly string[]) => {
    execFileSync(program, [...words, join(folder.path, "packed"), ...namesIn[kind as keyof typeof namesIn]], {
      cwd: join(folder.path, kind),
    });
    const bytes = readFileSync(join(folder.path, "packed"));
    execFileSync("rm", [join(folder.path, "packed")]);
    return bytes;
  };
  const tarball = packed("npm", "tar", "czf");
  const crate = packed("crates", "tar", "czf");
  const wheel = packed("python", "python3", "-m", "zipfile", "-c");
  const module = packed("go", "python3", "-m", "zipfile", "-c");
  const hash = (kind: string, bytes: Buffer) => createHash(kind).update(bytes);
  const dist = {
    tarball: `${url}/npm/tiny/-/tiny-1.0.0.tgz`,
    integrity: `sha512-${hash("sha512", tarball).digest("base64")}`,
    shasum: hash("sha1", tarball).digest("hex"),
  };
  const versions = { "1.0.0": { name: "tiny", version: "1.0.0", dist } };
  const line = { name: "tiny", vers: "1.0.0", deps: [], features: {}, yanked: false };
  const file = "tiny-1.0.0-py3-none-any.whl";
  return [
    ["/npm/tiny", JSON.stringify({ name: "tiny", "dist-tags": { latest: "1.0.0" }, versions })],
    ["/npm/tiny/-/tiny-1.0.0.tgz", tarball],
    ["/index/config.json", JSON.stringify({ dl: `${url}/crates` })],
    ["/index/ti/ny/tiny", JSON.stringify({ ...line, cksum: hash("sha256", crate).digest("hex") })],
    ["/crates/tiny/1.0.0/download", crate],
    ["/simple/tiny/", `<a href="/files/${file}#sha256=${hash("sha256", wheel).digest("hex")}">${file}</a>`],
    [`/files/${file}`, wheel],
    ["/go/tiny.example/@v/list", "v1.0.0\n"],
    ["/go/tiny.example/@v/v1.0.0.info", '{ "Version": "v1.0.0" }'],
    ["/go/tiny.example/@v/v1.0.0.mod", goMod],
    ["/go/tiny.example/@v/v1.0.0.zip", module],
  ];
}

const goMod = "module tiny.example\n\ngo 1.18\n";

const namesIn = {
  npm: ["package"],
  crates: ["tiny-1.0.0"],
  python: ["tiny.py", "tiny-1.0.0.dist-info"],
  go: ["tiny.example@v1.0.0"],
};
