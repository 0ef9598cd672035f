import { useEffect, useState } from "react";
import { CopyButton } from "../ui/copy.tsx";
import { CodeBox } from "./code-box.tsx";
import type { ColouredPiece } from "./highlight.ts";

/** A block of code. It is coloured after it is complete, and only up to 2,000 lines. */
export function Code({ text, language, complete }: { text: string; language?: string | undefined; complete: boolean }) {
  const pieces = useColours(text, language, complete);
  return (
    <CodeBox text={text} language={language} pieces={pieces}>
      <CopyButton text={text} label="Copy the code" />
    </CodeBox>
  );
}

const LONGEST = 2_000;

function useColours(text: string, language: string | undefined, complete: boolean): ColouredPiece[] | undefined {
  const [coloured, set] = useState<{ text: string; pieces: ColouredPiece[] | undefined }>();
  useEffect(() => {
    if (!complete || !language || text.length > 200_000 || text.split("\n").length > LONGEST) return;
    let isCurrent = true;
    import("./highlight.ts")
      .then(({ highlight }) => isCurrent && set({ text, pieces: highlight(text, language) }))
      // Without the chunk the code stays as it is: readable, in one colour.
      .catch(() => {});
    return () => {
      isCurrent = false;
    };
  }, [text, language, complete]);
  return coloured?.text === text ? coloured.pieces : undefined;
}
