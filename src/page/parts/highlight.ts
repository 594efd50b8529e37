import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { html } from "htm/preact";
import { createLowlight } from "lowlight";
import type { VNode } from "preact";

const languages = {
  bash,
  cpp,
  css,
  go,
  ini,
  java,
  json,
  markdown,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
const lowlight = createLowlight(languages);

const endings: Readonly<Record<string, keyof typeof languages>> = {
  ...{
    sh: "bash",
    bash: "bash",
    zsh: "bash",
    c: "cpp",
    h: "cpp",
    cc: "cpp",
    cpp: "cpp",
    hpp: "cpp",
    css: "css",
    scss: "css",
  },
  ...{
    go: "go",
    toml: "ini",
    ini: "ini",
    java: "java",
    kt: "java",
    cs: "java",
    json: "json",
    md: "markdown",
    py: "python",
  },
  ...{
    rb: "ruby",
    rs: "rust",
    sql: "sql",
    ts: "typescript",
    tsx: "typescript",
    mts: "typescript",
    cts: "typescript",
  },
  ...{
    js: "typescript",
    jsx: "typescript",
    mjs: "typescript",
    cjs: "typescript",
    html: "xml",
    xml: "xml",
    svg: "xml",
    vue: "xml",
  },
  ...{ yaml: "yaml", yml: "yaml" },
};

/** Longer texts are shown without colours. */
const lengthMax = 60_000;

type Node = ReturnType<typeof lowlight.highlight>["children"][number];
export type Words = readonly (VNode | string)[];

/** The lines of a text, each as coloured words. */
export function highlightLines(text: string, path: string): readonly Words[] {
  const language = endings[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
  if (language === undefined || text.length > lengthMax) return text.split("\n").map((line) => [line]);
  const lines: (VNode | string)[][] = [[]];
  const walk = (node: Node, names: string) => {
    if (node.type === "element") {
      const own = node.properties.className;
      for (const child of node.children) walk(child as Node, Array.isArray(own) ? own.join(" ") : names);
    } else if (node.type === "text")
      for (const [at, part] of node.value.split("\n").entries()) {
        if (at > 0) lines.push([]);
        if (part !== "") lines.at(-1)?.push(names === "" ? part : html`<span class=${names}>${part}</span>`);
      }
  };
  for (const node of lowlight.highlight(language, text).children) walk(node, "");
  return lines;
}
