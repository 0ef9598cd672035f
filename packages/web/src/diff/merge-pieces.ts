/** A part of a line with its colour, and whether it is what changed. */
interface LinePiece {
  readonly text: string;
  readonly className: string | undefined;
  readonly isMarked: boolean;
}

/** Cuts a line where its colour or its mark changes. Both lists cover the whole line. */
export function mergePieces(
  text: string,
  colours: readonly { readonly text: string; readonly className: string | undefined }[] | undefined,
  marks: readonly { readonly text: string; readonly isMarked: boolean }[] | undefined,
): LinePiece[] {
  const coloured = colours && lengthOf(colours) === text.length ? colours : [{ text, className: undefined }];
  const marked = marks && lengthOf(marks) === text.length ? marks : [{ text, isMarked: false }];
  const pieces: LinePiece[] = [];
  let [colour, mark, at] = [0, 0, 0];
  let [colourEnd, markEnd] = [coloured[0]?.text.length ?? 0, marked[0]?.text.length ?? 0];
  while (at < text.length) {
    const end = Math.min(colourEnd, markEnd);
    if (end > at)
      pieces.push({
        text: text.slice(at, end),
        className: coloured[colour]?.className,
        isMarked: marked[mark]?.isMarked ?? false,
      });
    at = end;
    if (colourEnd === end) colourEnd += coloured[++colour]?.text.length ?? text.length;
    if (markEnd === end) markEnd += marked[++mark]?.text.length ?? text.length;
  }
  return pieces;
}

const lengthOf = (pieces: readonly { readonly text: string }[]): number =>
  pieces.reduce((sum, { text }) => sum + text.length, 0);
