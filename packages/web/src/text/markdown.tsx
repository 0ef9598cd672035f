import type { MarkedToken, Token, Tokens } from "marked";
import { Fragment, memo, type ReactNode, useMemo } from "react";
import { plural } from "../ui/format.ts";
import { joined } from "../ui/joined.ts";
import { useThrottled } from "../ui/use-throttled.ts";
import { Code } from "./code.tsx";
import { decodeEntities, lexBlock } from "./lex.ts";
import { linkTarget } from "./link-target.ts";
import styles from "./markdown.module.css";
import { splitBlocks } from "./split-blocks.ts";
import { VisibleText } from "./visible-text.tsx";

/**
 * Markdown as elements. HTML in it is shown as text, and pictures are links that load nothing. Blocks that are finished
 * keep their elements while the text grows; only the last one is parsed again, at most 20 times a second.
 */
export function Markdown({ text, complete = true, after }: { text: string; complete?: boolean; after?: ReactNode }) {
  const throttled = useThrottled(text, 50, complete);
  const shown = throttled.slice(0, LONGEST_TEXT);
  const omitted = throttled.length - shown.length;
  const blocks = useMemo(() => splitBlocks(shown, complete), [shown, complete]);
  return (
    <div className={styles.md}>
      {joined(blocks, (block, at) => (
        <Block text={block} complete={complete || at < blocks.length - 1} />
      ))}
      {omitted > 0 && (
        <p className="dim">
          {plural(omitted, "more character")} of this text are not shown here. Its event has all of them.
        </p>
      )}
      {after}
    </div>
  );
}

/** A browser takes many seconds to lay out millions of characters, above all without a space between them. */
const LONGEST_TEXT = 200_000;

const Block = memo(({ text, complete }: { text: string; complete: boolean }) => {
  const tokens = useMemo(() => lexBlock(text), [text]);
  return <>{tokens.map((token, index) => blockElement(token, index, complete))}</>;
});

function blockElement(token: MarkedToken, key: number, complete: boolean): ReactNode {
  switch (token.type) {
    case "space":
      return null;
    case "code":
      return <Code key={key} text={token.text} language={token.lang} complete={complete} />;
    case "heading":
      return heading(token, key);
    case "hr":
      return <hr key={key} />;
    case "blockquote":
      return <blockquote key={key}>{blocksOf(token.tokens, complete)}</blockquote>;
    case "list":
      return list(token, key, complete);
    case "table":
      return table(token, key);
    case "paragraph":
      return <p key={key}>{inline(token.tokens)}</p>;
    case "text":
      return token.tokens ? <Fragment key={key}>{inline(token.tokens)}</Fragment> : plain(token.text, key);
    default:
      return plain(token.raw.trimEnd(), key);
  }
}

const blocksOf = (tokens: Token[], complete: boolean): ReactNode =>
  tokens.map((token, index) => blockElement(token as MarkedToken, index, complete));

/** Text that is shown exactly as it was written, such as HTML. */
const plain = (text: string, key: number): ReactNode => (
  <p key={key} className={styles.plain}>
    <VisibleText text={text} />
  </p>
);

/** The page has its own headings of the levels 1 and 2. */
function heading({ depth, tokens }: Tokens.Heading, key: number): ReactNode {
  const Level = (["h3", "h4", "h5", "h6"] as const)[Math.min(depth, 4) - 1] ?? "h6";
  return <Level key={key}>{inline(tokens)}</Level>;
}

function list({ ordered, start, items }: Tokens.List, key: number, complete: boolean): ReactNode {
  const rows = joined(items, (item) => (
    <li className={item.task ? styles.task : undefined}>{blocksOf(item.tokens, complete)}</li>
  ));
  return ordered ? (
    <ol key={key} start={start === "" ? 1 : start}>
      {rows}
    </ol>
  ) : (
    <ul key={key}>{rows}</ul>
  );
}

function table({ header, rows }: Tokens.Table, key: number): ReactNode {
  return (
    // A wide table scrolls in its own box, also by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section key={key} className={styles.scroll} tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>{header.map((cell, index) => tableCell("th", cell, index))}</tr>
        </thead>
        <tbody>
          {joined(rows, (row) => (
            <tr>{row.map((cell, column) => tableCell("td", cell, column))}</tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const tableCell = (Cell: "th" | "td", { tokens, align }: Tokens.TableCell, key: number): ReactNode => (
  <Cell key={key} className={align === "right" ? styles.right : align === "center" ? styles.center : ""}>
    {inline(tokens)}
  </Cell>
);

const inline = (tokens: Token[]): ReactNode => tokens.map((token, index) => inlineElement(token as MarkedToken, index));

function inlineElement(token: MarkedToken, key: number): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong key={key}>{inline(token.tokens)}</strong>;
    case "em":
      return <em key={key}>{inline(token.tokens)}</em>;
    case "del":
      return <del key={key}>{inline(token.tokens)}</del>;
    case "codespan":
      return (
        <code key={key}>
          <VisibleText text={token.text} />
        </code>
      );
    case "br":
      return <br key={key} />;
    case "link":
      return <Link key={key} href={token.href} text={token.text} raw={token.raw} inside={inline(token.tokens)} />;
    case "image":
      return (
        <Link
          key={key}
          href={token.href}
          text={token.text}
          raw={token.raw}
          inside={`Picture: ${token.text || token.href}`}
        />
      );
    case "checkbox":
      return <span key={key}>{token.checked ? "☑ " : "☐ "}</span>;
    case "text":
      if (token.tokens) return <Fragment key={key}>{inline(token.tokens)}</Fragment>;
      return <VisibleText key={key} text={decodeEntities(token.text)} />;
    case "escape":
      return <VisibleText key={key} text={token.text} />;
    default:
      return <VisibleText key={key} text={token.raw} />;
  }
}

function Link({ href, text, raw, inside }: { href: string; text: string; raw: string; inside: ReactNode }) {
  const target = linkTarget(href, text);
  if (!target) return <VisibleText text={raw} />;
  return (
    <a href={target.href} target="_blank" rel="noopener noreferrer" className={styles.link}>
      {typeof inside === "string" ? <VisibleText text={inside} /> : inside}
      {target.host && <span className={styles.host}> ({target.host})</span>}
    </a>
  );
}
