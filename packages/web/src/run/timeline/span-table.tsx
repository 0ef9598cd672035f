import { momentLabel } from "../replay/moment-label.ts";
import { isSame, positionOf } from "./find-item.ts";
import type { Item } from "./lanes.ts";
import type { LaneBox } from "./layout.ts";
import { outcomeWords, tookLabel, wordsOf } from "./span-words.ts";

/** Rows before and after the selected one. More would be slow, and nobody hears them all. */
const ROWS_AROUND = 30;

export const rowId = (lane: string, index: number): string => `span-${lane}-${index}`;

/** The picture as a table, for people who hear it. The arrow keys of the picture move through it. */
export function SpanTable({ boxes, selected }: { boxes: readonly LaneBox[]; selected: Item | undefined }) {
  const position = selected && positionOf(boxes, selected);
  const lanes = boxes.flatMap(({ lane }) => (lane ? [lane] : []));
  const total = lanes.reduce((sum, { items }) => sum + items.length, 0);
  const lane = lanes.find(({ name }) => name === position?.lane) ?? lanes.find(({ items }) => items.length > 0);
  if (!lane) return null;
  const first = Math.max(0, (position?.index ?? 0) - ROWS_AROUND);
  const before = lanes.slice(0, lanes.indexOf(lane)).reduce((sum, { items }) => sum + items.length, 0);
  return (
    <table className="heard" aria-label="Spans of the run" aria-rowcount={total + 1}>
      <thead>
        <tr aria-rowindex={1}>
          <th>Lane</th>
          <th>What</th>
          <th>From</th>
          <th>Took</th>
          <th>Outcome</th>
        </tr>
      </thead>
      <tbody>
        {lane.items.slice(first, first + 2 * ROWS_AROUND).map((item, offset) => {
          const index = first + offset;
          const { title, detail } = wordsOf(item);
          return (
            <tr
              key={index}
              id={rowId(lane.name, index)}
              aria-rowindex={before + index + 2}
              aria-current={selected && isSame(item, selected) ? "true" : undefined}
            >
              <td>{lane.name}</td>
              <td>{detail ? `${title} ${detail}` : title}</td>
              <td>{momentLabel(item.from)}</td>
              <td>{tookLabel(item.to - item.from)}</td>
              <td>{outcomeWords(item)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
