/** Letters with a usual spelling in a to z. Other accents are dropped. */
const spelled: Readonly<Record<string, string>> = {
  ...{ ä: "ae", ö: "oe", ü: "ue", ß: "ss", æ: "ae", œ: "oe", ø: "oe", å: "aa", þ: "th", ð: "d" },
  ...{ đ: "d", ł: "l", ħ: "h", ı: "i", ŋ: "ng", ŧ: "t" },
};

/** The words of a text, transliterated to a-z and digits, for folder and branch names. */
export function latinWords(text: string): readonly string[] {
  const lower = text.normalize("NFKC").toLowerCase();
  const whole = [...lower].map((letter) => spelled[letter] ?? letter).join("");
  return (
    whole
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .match(/[a-z0-9]+/g) ?? []
  );
}
