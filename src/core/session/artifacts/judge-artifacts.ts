import { judgeSections } from "./markdown-sections.ts";

/** Missing or empty sections of spec.md (S4-160). */
export function judgeSpec(text: string): readonly string[] {
  return judgeSections("spec.md", text, [
    { name: "Goals", words: ["goals"] },
    { name: "Acceptance Criteria", words: ["acceptance criteria"] },
    { name: "Definition of Done", words: ["definition of done"] },
  ]);
}

/** Missing or empty sections of architecture.md (S4-162). */
export function judgeArchitecture(text: string): readonly string[] {
  return judgeSections("architecture.md", text, [
    { name: "Overview", words: ["overview"] },
    { name: "Modules/components", words: ["modules", "components"] },
  ]);
}
