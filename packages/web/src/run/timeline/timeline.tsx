import { type RunSpans, timeParts, timeSegments } from "@spoor/protocol";
import { useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useRun } from "../../live/use-run.ts";
import { routes } from "../../routes.ts";
import { Loading } from "../../ui/loading.tsx";
import { useNow } from "../../ui/use-now.ts";
import { useThrottled } from "../../ui/use-throttled.ts";
import { useReplay } from "../replay/use-replay.ts";
import type { RunScreenProps } from "../run-screen-props.ts";
import { isKnownAtEnd } from "./cost-steps.ts";
import { isSame, nearest } from "./find-item.ts";
import { LaneNames } from "./lane-names.tsx";
import { type Item, lanesOf, modelItems } from "./lanes.ts";
import { layoutOf } from "./layout.ts";
import { Longest, longestOf } from "./longest.tsx";
import { Overview } from "./overview.tsx";
import { Plot } from "./plot.tsx";
import { around, breaksOf, createScale } from "./scale.ts";
import { Selected } from "./selected.tsx";
import { Summary } from "./summary.tsx";
import style from "./timeline.module.css";
import { Transport } from "./transport.tsx";
import { useRange } from "./use-range.ts";
import { useTimelineKeys } from "./use-timeline-keys.ts";
import { useWidth } from "./use-width.ts";

/** The picture of a run that goes on is drawn anew at most this often. */
const DRAW_EVERY_MS = 500;

/** What the time of a run was spent on, and its replay. */
export default function Timeline({ runId }: RunScreenProps) {
  // During a replay, too, the picture is that of the whole run.
  const { view, spans } = useRun(runId);
  const shown = useThrottled(spans, DRAW_EVERY_MS);
  return shown ? <Picture runId={runId} spans={shown} isRunOver={view.end !== undefined} /> : <Loading />;
}

interface PictureProps {
  runId: string;
  spans: RunSpans;
  isRunOver: boolean;
}

function Picture({ runId, spans: run, isRunOver }: PictureProps) {
  const { store, state } = useReplay();
  const [, navigate] = useLocation();
  const plot = useRef<HTMLDivElement>(null);
  const width = useWidth(plot);
  const whole = useWhole(run, isRunOver);
  const [selected, setSelected] = useState<Item>();

  const segments = useMemo(() => timeSegments(run.spans, whole), [run, whole]);
  const parts = useMemo(() => timeParts(run.spans, whole), [run, whole]);
  const breaks = useMemo(() => breaksOf(segments), [segments]);
  const lanes = useMemo(() => lanesOf(run.spans, segments, whole), [run, segments, whole]);
  const { boxes, height } = useMemo(() => layoutOf(lanes), [lanes]);
  const { range, setRange } = useRange(whole, width);
  const scale = useMemo(
    () => createScale({ from: range.from, to: range.to }, Math.max(width, 1), breaks),
    [range.from, range.to, width, breaks],
  );
  useEffect(() => store.setSegments(segments), [store, segments]);

  const turns = lanes[0]?.items ?? [];
  const head = Math.min(state.at ?? whole, whole);
  const turn = state.at === undefined ? undefined : turns.findLast(({ from }) => from <= head)?.span.turn;
  const longest = useMemo(() => {
    const [turnLane, , ...others] = lanes;
    const model = modelItems(turnLane?.items ?? [], segments, []);
    const retries = lanes[1]?.items.filter(({ kind }) => kind === "retry") ?? [];
    return longestOf([...model, ...retries, ...others.flatMap(({ items }) => items)]);
  }, [lanes, segments]);
  // An open item grows; the one that is shown is the latest of it.
  const current = selected && (lanes.flatMap(({ items }) => items).find((item) => isSame(item, selected)) ?? selected);

  const select = (item: Item | undefined) => {
    setSelected(item);
    if (item && (item.to < range.from || item.from > range.to)) setRange(around(item, whole));
  };
  const show = (item: Item) =>
    navigate(
      item.kind === "subagent" && item.span.childRunId
        ? routes.run(item.span.childRunId)
        : routes.event(runId, item.span.sequence),
    );
  const toTurn = (direction: -1 | 1) => {
    const at = state.at ?? whole;
    const next = direction === 1 ? turns.find(({ from }) => from > at) : turns.findLast(({ from }) => from < at - 1);
    if (next) store.seek(next.from);
    else if (direction === -1) store.seek(0);
    else store.leave();
  };
  const play = () => (state.isPlaying ? store.pause() : store.play());
  useTimelineKeys({ boxes, scale, whole, head, selected: current, plot, setRange, select, show, toTurn, play });

  return (
    <main id="main" className={style.timeline}>
      <div className={style.sum}>
        <Summary parts={parts} />
        <Transport head={head} whole={whole} onTurn={toTurn} onPlay={play} />
      </div>
      <div className={`card ${style.pic}`}>
        <LaneNames boxes={boxes} parts={parts} micros={run.costs.at(-1)?.micros} />
        <Plot
          plot={plot}
          boxes={boxes}
          height={height}
          scale={scale}
          whole={whole}
          costs={run.costs}
          costKnownAtEnd={isKnownAtEnd(run.costs, run.spans, run.end)}
          head={state.at === undefined ? undefined : head}
          turn={turn}
          selected={current}
          onSelect={select}
          onOpen={(item) => item.span.childRunId && show(item)}
          onRange={setRange}
          onFit={(time) => {
            const fitted = nearest(turns, time);
            const isFitted = fitted && Math.abs(range.from - around(fitted, whole).from) < 1;
            setRange(fitted && !isFitted ? around(fitted, whole) : undefined);
          }}
          onHead={(time) => (time >= whole ? store.leave() : store.seek(time))}
        />
      </div>
      <Overview lanes={lanes} whole={whole} breaks={breaks} range={range} onRange={setRange} />
      <div className={style.below}>
        <Longest items={longest} onSelect={select} />
        <Selected runId={runId} item={current} />
      </div>
    </main>
  );
}

/** How long the run has taken: until its end, or until now. */
function useWhole({ end, last, origin }: PictureProps["spans"], isRunOver: boolean): number {
  const now = useNow(1000);
  const live = origin === undefined ? last : Math.max(last, now - origin);
  return Math.max(end ?? (isRunOver ? last : live), 1);
}
