import { describe, expect, it } from "vitest";
import { analyzeCommand } from "./analyze.ts";
import { knownParts } from "./text.ts";

const place = { cwd: "/repo", root: "/repo", home: "/home/me" };

/** The written paths, with `…` for unknown parts. */
function writes(command: string, tmpdir: string | undefined): readonly string[] {
  const context = tmpdir === undefined ? place : { ...place, tmpdir };
  return analyzeCommand(command, context).writes.map(({ target }) => knownParts(target, "…"));
}

describe("TMPDIR has the value that the caller passes", () => {
  it.each([
    ["echo x > $TMPDIR/repo/docs/x", "/var/t", ["/var/t/repo/docs/x"]],
    ["echo x > $TMPDIR/repo/docs/x", "", ["/repo/docs/x"]],
    ["echo x > $TMPDIR/repo/docs/x", undefined, ["…/repo/docs/x"]],
    ['rm -rf "${TMPDIR:-docs}"', "/var/t", ["/var/t"]],
    ['rm -rf "${TMPDIR:-docs}"', "", ["docs"]],
    ['rm -rf "${TMPDIR:-docs}"', undefined, ["…"]],
    ['rm -rf "${TMPDIR-docs}"', "", ["…"]],
    ['rm -rf "${TMPDIR+docs}"', "", ["…"]],
    ["rm -rf $TMPDIR/*", "", ["/*"]],
    ["find $TMPDIR -delete", "", ["."]],
    ["touch ${TMPDIR:-/tmp}/x", "", ["/tmp/x"]],
    ["TMPDIR=docs touch $TMPDIR/x", "/var/t", ["/var/t/x"]],
    ["TMPDIR=docs touch $TMPDIR/x", undefined, ["…/x"]],
    ["TMPDIR=docs; touch $TMPDIR/x", "/var/t", ["docs/x"]],
    ["TMPDIR=docs; sh -c 'touch $TMPDIR/x'", "/var/t", ["…/x"]],
    ["unset TMPDIR; touch $TMPDIR/x", "/var/t", ["/x"]],
    ["f() { unset TMPDIR; touch $TMPDIR/x; }; f", "/var/t", ["…/x"]],
    ["sh -c 'touch $TMPDIR/x'", "/var/t", ["/var/t/x"]],
    ["env -u TMPDIR sh -c 'touch $TMPDIR/x'", "/var/t", ["…/x"]],
    ["env A=b sh -c 'touch $TMPDIR/$A'", "/var/t", ["/var/t/b"]],
    ["env -i A=b sh -c 'touch $TMPDIR/$A'", "/var/t", ["…/b"]],
    ["sudo sh -c 'touch $TMPDIR/x ~/y'", "/var/t", ["…/x", "…"]],
    ["mktemp", undefined, ["/tmp/tmp.XXXXXXXXXX"]],
    ["mktemp", "", ["/tmp/tmp.XXXXXXXXXX"]],
    ["mktemp", "/var/t", ["/var/t/tmp.XXXXXXXXXX"]],
    ["unset TMPDIR; mktemp", "/var/t", ["/tmp/tmp.XXXXXXXXXX"]],
    ["read TMPDIR < x; mktemp", "/var/t", ["/repo/…/tmp.XXXXXXXXXX", "/var/t/tmp.XXXXXXXXXX"]],
  ])("%j with TMPDIR %j", (command, tmpdir, expected) => {
    expect(writes(command, tmpdir)).toEqual(expected);
  });
});

describe("the home folder is HOME", () => {
  it.each([
    ["touch ~/x $HOME/y", ["/home/me/x", "/home/me/y"]],
    ["HOME=/tmp; touch ~/x", ["/tmp/x"]],
    ["HOME=/tmp; cd; touch x", ["x"]],
    ["unset HOME; touch $HOME/x", ["/x"]],
    ["unset HOME; touch ~/x", ["…"]],
  ])("%j", (command, expected) => {
    expect(writes(command, "")).toEqual(expected);
  });
});

describe("a variable that may not be set may be empty", () => {
  const refusals = (command: string, environment?: ReadonlySet<string>) =>
    analyzeCommand(command, environment === undefined ? place : { ...place, environment }).refusals.length;
  it.each([
    ["PATH=$X:$PATH ls", 1],
    ["PATH=$X/repo/bin:$PATH ls", 1],
    ["PATH=$X:$PWD/bin ls", 1],
    ["PATH=$PATH$X/bin ls", 1],
    ["PATH=$X/bin:$PATH ls", 0],
    ["PATH=$PATH:$X ls", 0],
    ["PATH=$PATH:$PWD/bin ls", 0],
    ["MAKEFLAGS=$X make", 1],
    ["MAKEFLAGS=$MAKEFLAGS make", 0],
  ])("%j", (command, expected) => {
    expect(refusals(command)).toBe(expected);
  });

  it("is not empty if it is set", () => {
    expect(refusals("PATH=$X:$PATH ls", new Set(["PATH", "X"]))).toBe(0);
  });
});
