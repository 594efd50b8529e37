import type { HereDoc, HereString, Redirection } from "unbash";
import { type Descriptor, type Descriptors, fileBehind } from "./descriptors.ts";
import { expandQuoted } from "./expand-word.ts";
import { namesLockstep } from "./guarded-processes.ts";
import type { Machine } from "./machine.ts";
import { guardedProcesses } from "./process-output.ts";
import { absoluteText, deviceOf } from "./resolve-path.ts";
import { concat, known, literal, type Text, unknownText } from "./text.ts";
import type { Input } from "./types.ts";
import type { World } from "./world.ts";

export interface Redirected {
  readonly input: Input;
  /** Where the streams of the command lead. */
  readonly streams: Streams;
  /** True if a file is opened, which may fail. */
  readonly opens: boolean;
  readonly descriptors: Descriptors;
}

/**
 * `out` and `err` are the streams that the command was started with; `away` leads to a file; the reader of `any` is
 * unknown.
 */
type Stream = "out" | "err" | "away" | "any";
type Streams = ReadonlyMap<number, Stream>;

/** Whether the output of a command still reaches its standard output without its errors; undefined if unknown. */
export function printsOn({ streams }: Pick<Redirected, "streams">): boolean | undefined {
  const [out, errors] = [streams.get(1), streams.get(2)];
  if (out === "any" || errors === "out" || errors === "any") return undefined;
  return out === "out";
}

/** Reports every file that the redirections open for writing, and returns the input of the command. */
export function redirect(
  m: Machine,
  redirections: readonly Redirection[],
  world: World,
  input: Input,
): Redirected {
  const given: Streams = new Map([
    [1, "out"],
    [2, "err"],
  ]);
  let result: Redirected = { input, streams: given, opens: false, descriptors: world.descriptors };
  for (const redirection of redirections) {
    if (redirection.type === "Redirect") {
      result = redirectFile(m, redirection, world, result);
      continue;
    }
    const text =
      redirection.type === "HereDoc" ? body(m, redirection, world) : hereString(m, redirection, world);
    const { descriptor } = redirection;
    if (descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 0))
      result = { ...result, input: { kind: "text", text } };
    // A program that reads another descriptor may run the text as code.
    else m.report.mention("redirection", text, world, false);
    const number = descriptor === undefined ? 0 : numberOf(descriptor);
    result = { ...result, descriptors: opened(result.descriptors, number, "unknown") };
  }
  return result;
}

function hereString(m: Machine, redirection: HereString, world: World): Text {
  const text = redirection.target === undefined ? unknownText : m.single(redirection.target, world);
  return concat(text, literal("\n"));
}

type FileRedirection = Extract<Redirection, { type: "Redirect" }>;

function redirectFile(
  m: Machine,
  redirection: FileRedirection,
  world: World,
  before: Redirected,
): Redirected {
  const targets = redirection.target === undefined ? [] : m.fields(redirection.target, world);
  const { operator, descriptor } = redirection;
  if (descriptor?.type === "FileDescriptorVariable") m.counted.add(descriptor.name);
  const own = descriptor === undefined ? undefined : numberOf(descriptor);
  const to = leadsTo(targets, before.descriptors, world);
  if (operator === "<" || operator === "<&") {
    const descriptors = opened(before.descriptors, descriptor === undefined ? 0 : own, to);
    const reads = descriptor === undefined || own === 0;
    return {
      ...before,
      input: reads ? inputFrom(operator, targets[0]) : before.input,
      opens: true,
      descriptors,
    };
  }
  const copies = operator === ">&" && targets.every(isDescriptor);
  const both = operator === "&>" || operator === "&>>" || (operator === ">&" && !copies);
  if (!copies)
    for (const target of targets)
      m.report.write(
        "redirection",
        target,
        { ...world, descriptors: before.descriptors },
        {
          action: "write",
          tree: false,
        },
      );
  const first = opened(before.descriptors, descriptor === undefined ? (operator === "<>" ? 0 : 1) : own, to);
  const descriptors = both ? opened(first, 2, to) : first;
  const streams = new Map(before.streams);
  const stream = streamOf(targets, before.streams);
  if (both) streams.set(1, stream).set(2, stream);
  else if (descriptor === undefined) streams.set(operator === "<>" ? 0 : 1, stream);
  else if (own !== undefined) streams.set(own, stream);
  const isThere =
    copies || targets.every((target) => /^\/dev\/(?:null|stdout|stderr)$/.test(known(target) ?? ""));
  return { ...before, opens: before.opens || !isThere, streams, descriptors };
}

type Named = NonNullable<FileRedirection["descriptor"]>;

/** Undefined for `{name}`: the shell chooses the number. */
function numberOf(descriptor: Named): number | undefined {
  return descriptor.type === "FileDescriptor" ? descriptor.value : undefined;
}

function opened(descriptors: Descriptors, number: number | undefined, to: Descriptor): Descriptors {
  return number === undefined ? descriptors : new Map([...descriptors, [number, to]]);
}

/** `3`, `/dev/fd/3` and `3-` lead where that descriptor leads; any other target is a file. */
function leadsTo(targets: readonly Text[], descriptors: Descriptors, world: World): Descriptor {
  const [target] = targets;
  const copied = /^(\d+)-?$/.exec(known(target ?? []) ?? "")?.[1];
  if (copied !== undefined) return descriptors.get(Number(copied)) ?? "unknown";
  if (target === undefined || targets.length > 1 || known(target) === "-") return "unknown";
  const file = fileBehind(target, descriptors);
  return file === undefined ? "given" : { file: absoluteText(file, world.cwd) };
}

/**
 * `3`, `/dev/fd/3`, `/dev/stdout` lead where that descriptor leads. A descriptor that was opened elsewhere may lead
 * anywhere.
 */
function streamOf(targets: readonly Text[], streams: Streams): Stream {
  const path = known(targets[0] ?? []);
  if (path === undefined || targets.length !== 1) return "any";
  const named = path === "/dev/stdout" ? "1" : path === "/dev/stderr" ? "2" : undefined;
  const number = named ?? /^(?:\/(?:dev|proc\/[^/]+)\/fd\/)?(\d+)-?$/.exec(path)?.[1];
  if (number !== undefined) return streams.get(Number(number)) ?? "any";
  return deviceOf(path) === "descriptor" ? "any" : "away";
}

function inputFrom(operator: string, target: Text | undefined): Input {
  if (operator === "<&" || target === undefined) return { kind: "unknown" };
  const pipe = target.find((piece) => piece.kind === "pipe");
  if (pipe?.kind === "pipe")
    return pipe.content === undefined ? { kind: "unknown" } : { kind: "text", text: pipe.content };
  if (known(target) === "/dev/null") return { kind: "none" };
  if (namesLockstep(target)) return { kind: "text", text: guardedProcesses };
  return { kind: "file", path: target };
}

function isDescriptor(target: Text): boolean {
  return /^(?:\d+-?|-)$/.test(known(target) ?? "");
}

function body(m: Machine, heredoc: HereDoc, world: World): Text {
  const { parts, text } = heredoc.body;
  const tabs = heredoc.operator === "<<-" ? /^\t+/gm : undefined;
  if (parts === undefined || heredoc.delimiter?.quoted === true)
    return literal(tabs ? text.replace(tabs, "") : text);
  const expanded = expandQuoted(m, parts, world);
  if (tabs === undefined) return expanded;
  return expanded.flatMap((piece) =>
    piece.kind === "literal" ? literal(piece.text.replace(tabs, "")) : [piece],
  );
}
