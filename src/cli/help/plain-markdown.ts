import { style } from "../output/style.ts";

/** Formats a page of the documents for a terminal: without fences and links, wrapped to `width`. */
export function plainMarkdown(text: string, width: number): string {
  return text
    .split(/^```\w*\n([\s\S]*?)^```$/m)
    .map((part, at) => (at % 2 === 1 ? indented(part) : prose(part, width)))
    .join("\n\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .replace(/\n*$/, "\n");
}

function indented(block: string): string {
  return block.trimEnd().replaceAll(/^(?=.)/gm, "    ");
}

function prose(text: string, width: number): string {
  return text
    .replaceAll(/\[([^\]]+)\]\([^)\s]+\)/g, "$1")
    .trim()
    .split(/\n{2,}|\n(?=- )/)
    .map((paragraph) => {
      const hanging = paragraph.startsWith("- ") ? "  " : "";
      const lines = wrapped(paragraph.replace(/^#+ /, "").split(/\s+/), width, hanging).join("\n");
      const shown = lines.replaceAll(/\*\*([^*]+)\*\*/g, (_, words: string) => style.bold(words));
      return `${paragraph.startsWith("#") ? style.bold(shown) : shown}${hanging === "" ? "\n" : ""}`;
    })
    .join("\n")
    .replaceAll(/^(- .*(?:\n {2}.*)*)\n(?=[^- \n])/gm, "$1\n\n");
}

function wrapped(words: readonly string[], width: number, hanging: string): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(word);
    else if (`${last} ${word}`.length > width) lines.push(`${hanging}${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
