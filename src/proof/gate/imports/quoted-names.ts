/** Where the name of a module may stand: after `from` or `import`, first in a call, after a comment, or on a new line. */
const quoted =
  /(?:\bfrom|\bimport|[(/]|^)[^\S\n]*(?=(?:"((?:[^"\\\n]|\\[\s\S])*)"|'((?:[^'\\\n]|\\[\s\S])*)'|`((?:[^`\\\n]|\\[\s\S])*)`))/gm;

const escaped = /\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,6})\}|(\r\n|[\s\S]))/gi;

const importWords = /\b(?:import|export|require)\b/;

/** Most texts that import nothing are data; parsing those takes longest. */
export function mayImport(text: string): boolean {
  return importWords.test(text);
}

/**
 * Every name that a script may import, and others that only look like one: much cheaper than to parse it, and
 * enough where it shows that a script has nothing to do with a file.
 */
export function quotedNames(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  if (!mayImport(text)) return names;
  for (const [, double, single, template] of text.matchAll(quoted)) {
    const name = double ?? single ?? template ?? "";
    names.add(name.includes("\\") ? unescaped(name) : name);
  }
  return names;
}

function unescaped(name: string): string {
  return name.replace(escaped, (_, two?: string, four?: string, some?: string, one = "") => {
    const code = Number.parseInt(two ?? four ?? some ?? "", 16);
    if (!Number.isNaN(code)) return code <= 0x10ffff ? String.fromCodePoint(code) : "";
    return /[\n\r\u2028\u2029]/.test(one) ? "" : one;
  });
}
