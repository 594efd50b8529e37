const lengthMax = 40;
const small = new Set(
  "a an and as at be by for from in into is it of on or our so that the this to we with".split(" "),
);

/** The name of a session: its day and its subject, with a number if that name is taken. */
export function sessionName(day: Date, about: string, number: number): string {
  const slug = latinWords(about).join("-").slice(0, lengthMax).replace(/-$/, "") || "plan";
  const name = `${day.toISOString().slice(0, 10)}_${slug}`;
  return number === 1 ? name : `${name}-${number}`;
}

/** Two to four significant words of the goal. */
export function sessionSlug(goal: string): string {
  const words = latinWords(goal);
  const telling = words.filter((word) => !small.has(word));
  return (telling.length >= 2 ? telling : words).slice(0, 4).join("-") || "goal";
}

/** The first words of the goal. */
export function taskSlug(goal: string): string {
  return latinWords(goal).slice(0, 5).join("-") || "task";
}

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
