import { describe, expect, it } from "vitest";
import { analyzeCommand } from "./analyze.ts";

const opaque = (command: string) =>
  analyzeCommand(command, { cwd: "/repo", root: "/repo", home: "/home/x" }).opaque.map(({ by }) => by);

describe("a program that loads a file which an agent may have written", () => {
  it.each([
    ["cargo --version", "cargo"],
    ["rustc --version", "rustc"],
    ["cargo metadata", "cargo"],
    ["/usr/bin/rustfmt -V", "rustfmt"],
    ["yarn --version", "yarn"],
    ["pnpm list", "pnpm"],
    ["uv pip list", "uv"],
    ["mvn -v", "mvn"],
    ["dotnet --version", "dotnet"],
    ["pytest --version", "pytest"],
    ["terraform validate", "terraform"],
    ["terraform -chdir=infra state list", "terraform"],
    ["npm docs", "npm"],
    ["npx cowsay hi", "npx"],
    ["npx ava --version", "npx"],
    ["npx -p foo date", "npx"],
    ["npx -c 'cowsay hi'", "npx"],
    ["npm exec ls", "npm"],
    ["npm x -- date", "npm"],
    ["bunx figlet", "bunx"],
    ["bun x cowsay", "bun"],
    ["uvx cowsay", "uvx"],
    ["pipx run cowsay", "pipx"],
    ["bundle exec ls", "bundle"],
    ["pipenv run ls", "pipenv"],
    ["ldd ./a.out", "ldd"],
    ["ssh -F src/a/config host ls", "ssh -F"],
    ["ssh -vF src/a/config host ls", "ssh -vF"],
    ["ssh -G -Fsrc/a/config host", "ssh -Fsrc/a/config"],
    ["ssh -I src/a/lib.so host", "ssh -I"],
    ["scp -F src/a/config a:b src/a/", "scp -F"],
    ["docker --config src/a ps", "docker --config"],
    ["docker --config=src/a ps", "docker --config"],
    ["DOCKER_CONFIG=src/a docker ps", "docker with DOCKER_CONFIG"],
    ["kubectl --kubeconfig src/a/k get pods", "kubectl --kubeconfig"],
    ["kubectl get pods --kubeconfig=src/a/k", "kubectl --kubeconfig"],
    ["export KUBECONFIG=src/a/k; kubectl get pods", "kubectl with KUBECONFIG"],
    ["env KUBECONFIG=src/a/k kubectl get pods", "kubectl with KUBECONFIG"],
    ["helm template --post-renderer ./x .", "helm --post-renderer"],
    ["helm plugin list", "helm"],
    ["npm --userconfig src/a/npmrc ls", "npm --userconfig"],
    ["npm ls --userconf src/a/npmrc", "npm --userconf"],
    ["pip --python ./x list", "pip --python"],
    ["gpg --homedir src/a -k", "gpg --homedir"],
    ["bat --config-file src/a/c x", "bat --config-file"],
    ["openssl req -config src/a/c", "openssl -config"],
    ["openssl engine ./x", "openssl"],
    ["go list -toolexec ./x ./...", "go -toolexec"],
    ["prettier --check src", "prettier"],
    ["mypy src", "mypy"],
    ["pylint src", "pylint"],
    ["flake8 src", "flake8"],
    ["knip", "knip"],
    ["tflint", "tflint"],
    ["poetry --version", "poetry"],
    ["HOME=/tmp git status", "git with HOME"],
    ["HOME=/root less x", "less with HOME"],
    ["export HOME=/tmp; git log", "git with HOME"],
    ["env HOME=/tmp git log", "git with HOME"],
    ["NODE_COMPILE_CACHE=/tmp/x npm ls", "npm with NODE_COMPILE_CACHE"],
    ["XDG_STATE_HOME=/tmp/x lockstep status", "lockstep with XDG_STATE_HOME"],
    ["export XDG_STATE_HOME=/tmp/x; lockstep status", "lockstep with XDG_STATE_HOME"],
    ["git archive --remote=src/a/n HEAD", "git"],
    ["git archive --remote src/a/n --format=x HEAD", "git"],
    ["timeout 5 kubectl --kubeconfig k get pods", "kubectl --kubeconfig"],
  ])("runs in the sandbox: %s", (command, by) => {
    expect(opaque(command)).toContain(by);
  });

  it.each([
    "ssh -V",
    "docker ps",
    "docker -c other ps",
    "kubectl get pods -n kube",
    "npm ls",
    "npm view x",
    "npm --version",
    "pip list",
    "gpg --list-keys",
    "bat x",
    "openssl version",
    "go version",
    "terraform fmt -check",
    "terraform version",
    "node --version",
    "KUBECONFIG=k echo x",
    "git archive HEAD",
    "HOME=/tmp",
    "shellcheck x.sh",
    "ruff check x.py",
  ])("is followed if it loads no such file: %s", (command) => {
    expect(opaque(command)).toEqual([]);
  });

  it("is not made opaque by an option's value", () => {
    expect(opaque("ssh -oForwardAgent=yes host")).toEqual(["ssh"]);
  });
});
