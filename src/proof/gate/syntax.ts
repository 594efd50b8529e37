import { counted } from "../../core/text/amounts.ts";
import { countedEndings, countedNames, type GateFinding, type GateResult, judged } from "./gate-result.ts";
import type { Fault } from "./reading/fault.ts";
import { type FileKind, fileKind } from "./reading/file-kind.ts";
import { type ScriptParser, scriptParser } from "./reading/parse-script.ts";
import { readJson } from "./reading/read-json.ts";
import { readYamlFile } from "./reading/read-yaml.ts";
import { changedBy, type Merge, presentPaths, type SourceTree } from "./source-tree.ts";

/** All modified files must parse without errors (S1). */
export async function checkSyntax({ result, changed }: Omit<Merge, "base">): Promise<GateResult> {
  const parser = lazyParser();
  const findings: GateFinding[] = [];
  const read: string[] = [];
  const unread: string[] = [];
  const others: string[] = [];
  for (const path of presentPaths(changed)) {
    const kind = fileKind(path);
    const text = kind === undefined ? undefined : result.text(path);
    if (kind === undefined || isTemplate(path, result)) others.push(path);
    else if (text === undefined) unread.push(path);
    else {
      read.push(path);
      const fault = await faultIn({ path, text, kind }, parser);
      if (fault !== undefined)
        findings.push({
          path,
          line: fault.line,
          message: `does not parse: ${fault.message}`,
          ...changedBy(changed, path),
        });
    }
  }
  return judged("syntax", { findings, notes: notesOn(read, unread, others), looked: read.length > 0 });
}

function notesOn(read: string[], unread: string[], others: string[]): string[] {
  return [
    ...(read.length > 0 ? [`${counted(read.length, "file")} parsed`] : []),
    ...(unread.length > 0 ? [`not checked: ${countedNames("file", unread)} (binary or over 1 MiB)`] : []),
    ...(others.length > 0 ? [`not checked: ${countedEndings(others)} (no parser; set gate.syntax)`] : []),
  ];
}

function lazyParser(): () => Promise<ScriptParser> {
  let parser: Promise<ScriptParser> | undefined;
  return () => {
    parser ??= scriptParser();
    return parser;
  };
}

interface Changed {
  readonly path: string;
  readonly text: string;
  readonly kind: FileKind;
}

async function faultIn(
  { path, text, kind }: Changed,
  parser: () => Promise<ScriptParser>,
): Promise<Fault | undefined> {
  const parsed =
    kind === "script"
      ? (await parser()).parse(path, text)
      : kind === "yaml"
        ? await readYamlFile(text)
        : readJson(text, { comments: kind === "jsonc" });
  return "fault" in parsed ? parsed.fault : undefined;
}

/** Templates of Helm charts end in `.yaml`, but are not YAML before they are rendered. */
function isTemplate(path: string, tree: SourceTree): boolean {
  const chart = /^(.*\/)?templates\/.*\.ya?ml$/.exec(path);
  return chart !== null && tree.text(`${chart[1] ?? ""}Chart.yaml`) !== undefined;
}
