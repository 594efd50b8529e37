import { lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import type { Disk } from "../../core/paths/place.ts";

const linksMax = 40;

/** A path outside every project, used for paths that cannot be resolved. */
const nowhere = "/dev/null/loop";

type Step = "absent" | "unreadable" | "plain" | { readonly target: string };

/** The disk for one question: each path is read once and then cached. */
export function nodeDisk(): Disk {
  const steps = new Map<string, Step>();
  const stepAt = (path: string): Step => {
    const known = steps.get(path) ?? readStep(path);
    steps.set(path, known);
    return known;
  };
  return { realPath: (absolute) => resolveLinks(absolute, stepAt), kindOf, sizeOf, namesIn };
}

/** Resolves segment by segment, as the system does: `..` after a link is the parent of the link's target. */
function resolveLinks(absolute: string, stepAt: (path: string) => Step): string {
  const resolved: string[] = [];
  const open = absolute.split("/").reverse();
  let links = 0;
  let absentAt = Infinity; // paths below a missing one are not read
  for (let segment = open.pop(); segment !== undefined; segment = open.pop()) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") {
      resolved.pop();
      if (resolved.length < absentAt) absentAt = Infinity;
      continue;
    }
    const step = resolved.length < absentAt ? stepAt(`/${resolved.concat(segment).join("/")}`) : "absent";
    if (step === "unreadable") return nowhere;
    if (typeof step === "string") {
      resolved.push(segment);
      if (step === "absent") absentAt = Math.min(absentAt, resolved.length);
      continue;
    }
    links += 1;
    if (links > linksMax) return nowhere;
    if (step.target.startsWith("/")) resolved.length = 0;
    open.push(...step.target.split("/").reverse());
  }
  return `/${resolved.join("/")}`;
}

function readStep(path: string): Step {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return "absent";
    return found.isSymbolicLink() ? { target: readlinkSync(path) } : "plain";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOTDIR" ? "absent" : "unreadable";
  }
}

function kindOf(absolute: string): "file" | "folder" | "absent" {
  try {
    return statSync(absolute).isDirectory() ? "folder" : "file";
  } catch {
    return "absent";
  }
}

function sizeOf(absolute: string): number {
  try {
    return statSync(absolute).size;
  } catch {
    return 0;
  }
}

function namesIn(absolute: string): readonly string[] {
  try {
    return readdirSync(absolute);
  } catch {
    return [];
  }
}
