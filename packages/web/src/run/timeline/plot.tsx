import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { announce } from "../../ui/announce.ts";
import { Axis } from "./axis.tsx";
import { useColours } from "./colours.ts";
import { drawPicture } from "./draw.ts";
import { itemAt, placeOf, positionOf } from "./find-item.ts";
import type { Item } from "./lanes.ts";
import type { LaneBox } from "./layout.ts";
import type { Picture } from "./picture.ts";
import type { Range, Scale } from "./scale.ts";
import { rowId, SpanTable } from "./span-table.tsx";
import { tookLabel, wordsOf } from "./span-words.ts";
import { ticksOf } from "./ticks.ts";
import style from "./timeline.module.css";
import { useGestures } from "./use-gestures.ts";

interface Props {
  plot: RefObject<HTMLDivElement | null>;
  boxes: readonly LaneBox[];
  height: number;
  scale: Scale;
  whole: number;
  costs: Picture["costs"];
  costKnownAtEnd: boolean;
  /** Absent while the run is shown as it is. */
  head: number | undefined;
  turn: number | undefined;
  selected: Item | undefined;
  onSelect: (item: Item | undefined) => void;
  onOpen: (item: Item) => void;
  onRange: (range: Range) => void;
  onFit: (time: number) => void;
  onHead: (time: number) => void;
}

/** The picture: a canvas with all bars, and the axis, the head and the selection above it. */
export function Plot(props: Props) {
  const { plot, boxes, height, scale, whole, costs, costKnownAtEnd, head, turn, selected, onHead } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const lanes = useRef<HTMLDivElement>(null);
  const colours = useColours();
  const [hovered, setHovered] = useState<Item>();
  const ticks = useMemo(() => ticksOf(scale), [scale]);

  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || !colours || scale.width <= 0) return;
    const frame = requestAnimationFrame(() => {
      const ratio = devicePixelRatio || 1;
      const [wide, high] = [Math.round(scale.width * ratio), Math.round(height * ratio)];
      if (context.canvas.width !== wide) context.canvas.width = wide;
      if (context.canvas.height !== high) context.canvas.height = high;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      drawPicture(context, { boxes, height, scale, ticks, costs, costKnownAtEnd, whole, turn }, colours);
    });
    return () => cancelAnimationFrame(frame);
  }, [boxes, height, scale, ticks, costs, costKnownAtEnd, whole, turn, colours]);

  useGestures(lanes, {
    scale,
    whole,
    onRange: props.onRange,
    onDoubleClick: (x) => props.onFit(scale.time(x)),
    onHover: (place) => setHovered(place && itemAt(boxes, scale, place.x, place.y)),
    onClick: (x, y) => {
      const item = itemAt(boxes, scale, x, y);
      props.onSelect(item);
      if (item?.kind === "subagent") props.onOpen(item);
    },
  });

  const position = selected && positionOf(boxes, selected);
  const outline = selected && placeOf(boxes, scale, selected);
  const tip = hovered && placeOf(boxes, scale, hovered);
  const headX = head === undefined ? -1 : scale.x(head);
  return (
    <div
      ref={plot}
      className={style.plot}
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes the focus
      tabIndex={0}
      aria-roledescription="timeline"
      aria-label="Timeline of the run. Left and right move between items, up and down between lanes, plus and minus zoom, Enter opens the item in the conversation."
      aria-activedescendant={position && rowId(position.lane, position.index)}
      onFocus={() => !selected && announce("Timeline. Press an arrow key to move between items.")}
    >
      <Axis scale={scale} ticks={ticks} head={head} whole={whole} onHead={onHead} />
      <div ref={lanes} className={`${style.picture} ${hovered ? style.over : ""}`} style={{ height }}>
        <canvas ref={canvas} />
        {outline && outline.left < scale.width && outline.left + outline.width > 0 && (
          <i
            className={style.outline}
            style={{
              left: outline.left - 1,
              top: outline.top - 1,
              width: outline.width + 1,
              height: outline.height + 2,
            }}
          />
        )}
        {headX >= 0 && headX <= scale.width && <i className={style.headLine} style={{ left: headX }} />}
        {hovered && tip && <Tip item={hovered} left={tip.left + tip.width / 2} top={tip.top} width={scale.width} />}
      </div>
      <SpanTable boxes={boxes} selected={selected} />
    </div>
  );
}

function Tip({ item, left, top, width }: { item: Item; left: number; top: number; width: number }) {
  const { title, detail } = wordsOf(item);
  return (
    <span
      className={style.tip}
      style={{ left: Math.max(90, Math.min(left, width - 90)), top: top - 6 }}
      aria-hidden="true"
    >
      <b>{title}</b> <span className="num">{tookLabel(item.to - item.from)}</span>
      {detail && <span className={style.tipDetail}>{detail}</span>}
    </span>
  );
}
