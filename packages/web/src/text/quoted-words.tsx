import { plainWords } from "./plain-words.ts";
import { VisibleText } from "./visible-text.tsx";

/** What an agent said, in one line and at most `most` characters. What it wrote between backticks is code. */
export function QuotedWords({ text, most = 240 }: { text: string; most?: number }) {
  const words = plainWords(text);
  const parts = (words.length > most ? `${words.slice(0, most).trimEnd()}…` : words).split("`");
  const isCode = (index: number) => index % 2 === 1 && index < parts.length - 1;
  return parts.map((part, index) =>
    isCode(index) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the position is the identity
      <code key={index}>
        <VisibleText text={part} />
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the position is the identity
      <VisibleText key={index} text={index > 0 && !isCode(index - 1) ? `\`${part}` : part} />
    ),
  );
}
