/** Words up to this length are left alone. */
const LONG_WORD = 4_000;

const PIECE = 1_000;

/**
 * The pieces of a text between which a line may break. A browser takes a time that grows with the square of the length of a
 * word to break it into lines: half a minute for 200,000 characters.
 */
export function breakable(text: string): string[] {
  if (text.length <= LONG_WORD) return [text];
  const pieces: string[] = [];
  let start = 0;
  for (const { 0: word, index } of text.matchAll(LONG_WORDS)) {
    for (let at = index + PIECE; at < index + word.length; at += PIECE) {
      // A character of two units stays whole.
      const end = isSecondHalf(text.charCodeAt(at)) ? at + 1 : at;
      pieces.push(text.slice(start, end));
      start = end;
    }
  }
  pieces.push(text.slice(start));
  return pieces;
}

const LONG_WORDS = new RegExp(`\\S{${LONG_WORD},}`, "g");

const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
