import { type Repository, temporaryRepository } from "./run-command.ts";

/** The project's own check, without npm: starting npm takes four times as long as the test. */
export const checksByName = 'checks: { default: ["node test/f.test.js"] }\n';

const files = {
  "f.js": "exports.f = 1;\n",
  "test/f.test.js": 'if (![1, 2].includes(require("../f.js").f)) process.exit(1);\n',
  "package.json": '{"scripts":{"test":"node test/f.test.js"}}\n',
  ".gitignore": "state\n",
};

interface Landed {
  readonly status: number | null;
  readonly stderr: string;
  /** The output of `land --json`. */
  readonly landed: Record<string, unknown>;
}

export interface LandRepository extends Repository {
  branch(name: string, changes: Readonly<Record<string, string | null>>): void;
  land(...words: string[]): Promise<Landed>;
}

/** A repository with a green base on `main`. */
export function landRepository(more: Readonly<Record<string, string>> = {}): LandRepository {
  const config = "package.json" in more ? {} : { ".lockstep/config.yaml": checksByName };
  return foundRepository({ ...config, ...more });
}

/** The same, but Lockstep has to find `npm test` by itself. */
export function foundRepository(more: Readonly<Record<string, string>> = {}): LandRepository {
  const repository = temporaryRepository({ ...files, ...more });
  const { git } = repository;
  git("add", "-A");
  git("commit", "-qm", "base");
  const branch = (name: string, changes: Readonly<Record<string, string | null>>) => {
    git("checkout", "-q", "-b", name, "main");
    for (const [path, text] of Object.entries(changes)) {
      if (text === null) git("rm", "-q", path);
      else repository.write(path, text);
    }
    git("add", "-A");
    git("commit", "-qm", `change ${name}`);
    git("checkout", "-q", "main");
  };
  const land = async (...words: string[]) => {
    const { status, stdout, stderr } = await repository.run(["land", ...words, "--json"]);
    return { status, stderr, landed: JSON.parse(stdout) };
  };
  return { ...repository, git, branch, land };
}
