import type { UsageRow } from "@spoor/protocol/client";
import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { money, UNKNOWN } from "../ui/format.ts";
import styles from "./chart.module.css";
import { DayTable } from "./day-table.tsx";
import { axisLabels, longDay } from "./days.ts";
import { type Series, type Split, scaleOf, seriesOf, splits, stacksOf } from "./summary.ts";

interface ChartProps {
  days: readonly string[];
  rows: readonly UsageRow[];
  split: Split;
  onSplit: (split: Split) => void;
}

/** The cost of each day as a bar. The table below it has the same figures. */
export function Chart({ days, rows, split, onSplit }: ChartProps) {
  const series = seriesOf(rows, split);
  const stacks = stacksOf(days, rows, series, split);
  const { top, lines } = scaleOf(Math.max(...stacks.map(({ micros }) => micros)));
  const [at, setAt] = useState<number>();
  const chosen = at === undefined ? undefined : stacks[at];
  const width = 100 / days.length;
  const move = (event: KeyboardEvent) => {
    const to = steps[event.key]?.(at ?? days.length, days.length);
    if (event.key === "Escape") setAt(undefined);
    if (to === undefined) return;
    event.preventDefault();
    setAt(Math.min(days.length - 1, Math.max(0, to)));
  };
  const point = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    setAt(Math.min(days.length - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * days.length))));
  };
  return (
    <section className={`card ${styles.chart}`}>
      <header>
        <h2>Cost by day</h2>
        <Legend series={series} />
        <span className="push" />
        <fieldset className="seg" aria-label="Split by">
          {splits.map((each) => (
            <button key={each} type="button" aria-pressed={each === split} onClick={() => onSplit(each)}>
              {titles[each]}
            </button>
          ))}
        </fieldset>
      </header>
      {lines.length === 0 && <p className="dim">No cost is known on these days.</p>}
      <div className={styles.plot} hidden={lines.length === 0}>
        <div
          className={styles.bars}
          role="slider"
          tabIndex={0}
          aria-label={`Cost by day and ${split}. The arrow keys choose a day; the table below has the figures.`}
          aria-valuemin={0}
          aria-valuemax={days.length - 1}
          aria-valuenow={at ?? days.length - 1}
          aria-valuetext={chosen ? textOf(chosen, series) : "no day chosen"}
          onKeyDown={move}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={(event) => event.pointerType === "mouse" && setAt(undefined)}
          onBlur={() => setAt(undefined)}
        >
          <svg aria-hidden="true">
            <defs>
              <pattern id="estimated" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <rect width="5" height="5" className={styles.paper} />
                <rect width="2.4" height="5" className={styles.stroke} />
              </pattern>
            </defs>
            {lines.map((line) => (
              <line
                key={line}
                className={styles.line}
                x1="0"
                x2="100%"
                y1={`${100 - (100 * line) / top}%`}
                y2={`${100 - (100 * line) / top}%`}
              />
            ))}
            {at !== undefined && (
              <rect className={styles.chosen} x={`${at * width}%`} y="0" width={`${width}%`} height="100%" />
            )}
            {stacks.map(({ day, parts }, index) => (
              <Stack
                key={day}
                parts={parts}
                series={series}
                top={top}
                x={(index + 0.14) * width}
                width={0.72 * width}
              />
            ))}
          </svg>
          {chosen && <Tip day={chosen} series={series} at={((at ?? 0) + 0.5) * width} />}
        </div>
        {lines.slice(0, -1).map((line) => (
          <span key={line} className={styles.amount} style={{ top: `${100 - (100 * line) / top}%` }}>
            {money(line)
              .replace(/(\.\d*?)0+$/, "$1")
              .replace(/\.$/, "")}
          </span>
        ))}
      </div>
      <div className={`num ${styles.axis}`} aria-hidden="true" hidden={lines.length === 0}>
        {axisLabels(days).map(({ index, text }) => (
          <span key={index} style={{ left: `${(index + 0.5) * width}%` }}>
            {text}
          </span>
        ))}
      </div>
      <DayTable stacks={stacks} series={series} />
    </section>
  );
}

const titles: Record<Split, string> = { agent: "Agent", model: "Model", source: "Source" };

const steps: Record<string, (at: number, count: number) => number> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowDown: (at) => at - 1,
  ArrowUp: (at) => at + 1,
  PageDown: (at) => at - 7,
  PageUp: (at) => at + 7,
  Home: () => 0,
  End: (_, count) => count - 1,
};

type Stacked = ReturnType<typeof stacksOf>[number];

function Stack({
  parts,
  series,
  top,
  x,
  width,
}: {
  parts: readonly number[];
  series: readonly Series[];
  top: number;
  x: number;
  width: number;
}) {
  let below = 0;
  return parts.map((micros, index) => {
    const { id, colour, isHatched } = series[index] as Series;
    below += micros;
    if (micros === 0) return null;
    return (
      <rect
        key={id}
        className={styles.part}
        x={`${x}%`}
        width={`${width}%`}
        y={`${100 - (100 * below) / top}%`}
        height={`${(100 * micros) / top}%`}
        fill={isHatched ? "url(#estimated)" : undefined}
        style={isHatched ? undefined : { fill: `var(--${colour})` }}
      />
    );
  });
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <div className="legend">
      {series.map((each) => (
        <span key={each.id}>
          <Colour series={each} />
          {each.name}
        </span>
      ))}
    </div>
  );
}

const Colour = ({ series: { colour, isHatched } }: { series: Series }) =>
  isHatched ? <i className={styles.hatched} /> : <i style={{ background: `var(--${colour})` }} />;

function Tip({ day: { day, parts, micros }, series, at }: { day: Stacked; series: readonly Series[]; at: number }) {
  const side = at > 60 ? { right: `calc(${100 - at}% + 24px)` } : { left: `calc(${at}% + 24px)` };
  return (
    <div className={`card num ${styles.tip}`} style={side} aria-hidden="true">
      <b>{longDay(day)}</b>
      {series.map((each, index) =>
        parts[index] ? (
          <div key={each.id}>
            <Colour series={each} />
            <span>{each.name}</span>
            <span>{money(parts[index])}</span>
          </div>
        ) : null,
      )}
      <div className={styles.sum}>
        <span>{micros === 0 ? "Nothing known" : "All"}</span>
        <span>{micros === 0 ? UNKNOWN : money(micros)}</span>
      </div>
    </div>
  );
}

function textOf({ day, parts, micros }: Stacked, series: readonly Series[]): string {
  const each = series.flatMap(({ name }, index) => (parts[index] ? [`${name} ${money(parts[index])}`] : []));
  return micros === 0 ? `${longDay(day)}: no cost is known` : `${longDay(day)}: ${money(micros)}. ${each.join(", ")}`;
}
