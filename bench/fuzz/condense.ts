const shownMax = 600;
const searchedMax = 8192;
const repeats = /(.{1,60}?)\1{7,}/gsu;

/** A text short enough to read: repeated parts are shown once, with their count. */
export function condense(text: string): string {
  const searched = text
    .slice(0, searchedMax)
    .replace(repeats, (all: string, piece: string) => `${piece}⟨×${all.length / piece.length}⟩`);
  const cut = searched.length > shownMax || text.length > searchedMax;
  return cut ? `${searched.slice(0, shownMax)}… (${text.length} characters)` : searched;
}
