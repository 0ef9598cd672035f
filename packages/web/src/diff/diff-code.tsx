import { memo, use } from "react";
import { VisibleText } from "../text/visible-text.tsx";
import { joined } from "../ui/joined.ts";
import { Colours } from "./colours.ts";
import { mergePieces } from "./merge-pieces.ts";
import type { DiffLine } from "./parse-diff.ts";
import { wordMarks } from "./word-marks.ts";

/** The text of a line. Words that differ from the line on the other side are marked. */
export const DiffCode = memo(function DiffCode({ line, partner }: { line: DiffLine; partner: DiffLine | undefined }) {
  const colours = use(Colours).get(line);
  const { text, sign } = line;
  if (text.length > MAX_SHOWN) return <LongLine text={text} />;
  const marks = partner && (sign === "-" ? wordMarks(text, partner.text, "old") : wordMarks(partner.text, text, "new"));
  if (!colours && !marks) return <VisibleText text={text} />;
  return joined(mergePieces(text, colours, marks), ({ text: part, className, isMarked }) => {
    const shown = <VisibleText text={part} />;
    const coloured = className ? <span className={className}>{shown}</span> : shown;
    return isMarked ? <mark>{coloured}</mark> : coloured;
  });
});

/** A line may be a whole minified file. */
const MAX_SHOWN = 20_000;

const LongLine = ({ text }: { text: string }) => (
  <>
    <VisibleText text={text.slice(0, MAX_SHOWN)} />… {(text.length - MAX_SHOWN).toLocaleString("en")} more characters
  </>
);
