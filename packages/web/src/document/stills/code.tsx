import { useMemo } from "react";
import { CodeBox } from "../../text/code-box.tsx";
import { highlight } from "../../text/highlight.ts";

const LONGEST = 100_000;

/** A block of code in its colours. */
export function Code({ text, language }: { text: string; language?: string | undefined; complete: boolean }) {
  const pieces = useMemo(
    () => (language && text.length <= LONGEST ? highlight(text, language) : undefined),
    [text, language],
  );
  return <CodeBox text={text} language={language} pieces={pieces} />;
}
