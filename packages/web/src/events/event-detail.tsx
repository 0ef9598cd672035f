import type { Envelope } from "@spoor/protocol";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { routes } from "../routes.ts";
import { visible } from "../text/visible.ts";
import { CopyButton } from "../ui/copy.tsx";
import { bytes } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { curlOfEvent } from "./curl.ts";
import type { EventRow } from "./event-source.ts";
import styles from "./events.module.css";
import { jsonTokens } from "./json-tokens.ts";

/** Longer events are cut at first, because the page would stand still. */
const SHOWN_CHARACTERS = 40_000;

interface Props {
  row: EventRow;
  onStep: (step: 1 | -1) => void;
}

/** One event as it is stored. Only line breaks and spaces between its values are added. */
export function EventDetail({ row, onStep }: Props) {
  const [whole, setWhole] = useState<number>();
  const isWhole = whole === row.cursor || row.line.length <= SHOWN_CHARACTERS;
  const envelope = useMemo<Envelope>(() => JSON.parse(row.line), [row]);
  const tokens = useMemo(
    () => [...jsonTokens(isWhole ? row.line : row.line.slice(0, SHOWN_CHARACTERS).toWellFormed())],
    [row, isWhole],
  );
  const { run_id, sequence, type } = envelope;
  const size = useMemo(() => new Blob([row.line]).size, [row]);
  return (
    <>
      <header className={styles.detailHead}>
        <bdi className="mono cut">{visible(type)}</bdi>
        <span className="dim num">#{sequence}</span>
        <span className="push" />
        <button type="button" className="btn quiet small icon" aria-label="Event before" onClick={() => onStep(-1)}>
          <Icon name="first" small />
        </button>
        <button type="button" className="btn quiet small icon" aria-label="Next event" onClick={() => onStep(1)}>
          <Icon name="last" small />
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long event is scrolled with the keyboard */}
      <pre className={styles.json} tabIndex={0}>
        {tokens.map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other name
          <span key={index} className={styles[kind]}>
            {kind === "sign" ? text : visible(text)}
          </span>
        ))}
        {!isWhole && "…"}
      </pre>
      {!isWhole && (
        <p className={styles.cutNote}>
          Shown are the first {bytes(SHOWN_CHARACTERS)} of {bytes(size)}.
          <button type="button" className="btn small" onClick={() => setWhole(row.cursor)}>
            Show all
          </button>
        </p>
      )}
      <footer className={styles.detailFoot}>
        <CopyButton text={row.line} label="Copy the event as it is stored">
          Copy
        </CopyButton>
        <CopyButton
          text={curlOfEvent(location.origin, run_id, sequence)}
          label="Copy the command that prints this event"
        >
          Copy as curl
        </CopyButton>
        <Link className="btn small" href={routes.event(run_id, sequence)}>
          Show in conversation
        </Link>
      </footer>
    </>
  );
}
