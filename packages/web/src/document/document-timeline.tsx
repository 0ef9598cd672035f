import { timeSegments } from "@spoor/protocol";
import type { RunSnapshot } from "../live/run-snapshot.ts";
import { elapsedOf } from "../run/head/elapsed.ts";
import { momentLabel } from "../run/replay/moment-label.ts";
import { type Item, type Lane, lanesOf } from "../run/timeline/lanes.ts";
import { outcomeWords, tookLabel, wordsOf } from "../run/timeline/span-words.ts";

/** Bars beyond this number would be thinner than a pixel. */
const MOST_BARS = 4_000;
const ROW = 18;

/** Where the time of the run went: a lane for turns, the model, tools, subagents and waits. */
export function DocumentTimeline({ snapshot, now }: { snapshot: RunSnapshot; now: number }) {
  const whole = elapsedOf(snapshot, now) ?? 0;
  const spans = snapshot.spans?.spans ?? [];
  const lanes = lanesOf(spans, timeSegments(spans, whole), whole).filter(({ items }) => items.length > 0);
  const bars = lanes.reduce((sum, { items }) => sum + items.length, 0);
  return (
    <section className="part" aria-labelledby="timeline">
      <h2 id="timeline">
        Timeline <span className="dim num">{momentLabel(whole)}</span>
      </h2>
      {whole === 0 || bars === 0 ? (
        <p className="dim">Nothing took any time.</p>
      ) : (
        <>
          {lanes.map((lane) => (
            <LanePicture key={lane.name} lane={lane} whole={whole} most={Math.floor(MOST_BARS / lanes.length)} />
          ))}
          <Longest items={lanes.flatMap(({ items }) => items)} />
        </>
      )}
    </section>
  );
}

function LanePicture({ lane: { name, rows, items }, whole, most }: { lane: Lane; whole: number; most: number }) {
  // The longest are the ones that can be seen.
  const least = items.length <= most ? 0 : (items.map(({ from, to }) => to - from).sort((a, b) => b - a)[most] ?? 0);
  return (
    <figure className="lane">
      <figcaption className="dim">{name}</figcaption>
      <svg width="100%" height={rows.length * ROW} role="img" aria-label={`${items.length} ${name} over time`}>
        {rows.flatMap(({ items: own }, row) =>
          own
            .filter(({ from, to }) => to - from >= least)
            .map((item) => (
              <rect
                key={`${item.span.sequence} ${item.from} ${item.kind}`}
                x={`${((100 * item.from) / whole).toFixed(3)}%`}
                width={`${Math.max(0.08, (100 * (item.to - item.from)) / whole).toFixed(3)}%`}
                y={row * ROW + 2}
                height={ROW - 4}
                rx="2"
                data-fill={item.span.outcome === "failed" ? "failed" : item.kind}
              >
                <title>{spanText(item)}</title>
              </rect>
            )),
        )}
      </svg>
    </figure>
  );
}

const MOST_ROWS = 8;

/** The picture in words: what took longest. */
function Longest({ items }: { items: readonly Item[] }) {
  const longest = items
    // A call that starts a subagent is its subagent.
    .filter(({ kind, span }) => kind !== "turn" && !(kind === "tool" && span.of === "subagent"))
    .toSorted((one, other) => other.to - other.from - (one.to - one.from))
    .slice(0, MOST_ROWS);
  return (
    <table className="longest num">
      <caption>What took longest</caption>
      <thead>
        <tr>
          <th scope="col">At</th>
          <th scope="col">Took</th>
          <th scope="col">What</th>
        </tr>
      </thead>
      <tbody>
        {longest.map((item) => (
          <tr key={`${item.span.sequence} ${item.from} ${item.kind}`}>
            <td>{momentLabel(item.from)}</td>
            <td>{tookLabel(item.to - item.from)}</td>
            <td>{textOf(item)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function textOf(item: Item): string {
  const { title, detail } = wordsOf(item);
  return [detail ? `${title} ${detail}` : title, outcomeWords(item)].filter(Boolean).join(", ");
}

const spanText = (item: Item): string => `${textOf(item)}, ${tookLabel(item.to - item.from)}`;
