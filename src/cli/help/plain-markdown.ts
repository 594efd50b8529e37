import { style } from "../output/style.ts";

/** A page of the documents as a terminal shows it: headings in bold, links and fences as their text alone. */
export function plainMarkdown(text: string): string {
  return text
    .replace(/^<!--.*-->\n+/gm, "")
    .replace(/^#+ (.*)$/gm, (_, title: string) => style.bold(title))
    .replace(/^```\w*\n([\s\S]*?)^```$/gm, (_, block: string) => block.trimEnd().replace(/^(?=.)/gm, "    "))
    .replace(/\*\*([^*\n]+)\*\*/g, (_, text: string) => style.bold(text))
    .replace(/\[([^\]]+)\]\([^)\s]+\)/g, "$1");
}
