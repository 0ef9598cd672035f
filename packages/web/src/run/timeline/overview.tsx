import { type PointerEvent, useEffect, useMemo, useRef } from "react";
import { barsOf } from "./bars.ts";
import { useColours } from "./colours.ts";
import type { Lane } from "./lanes.ts";
import { type Break, createScale, type Range, within } from "./scale.ts";
import style from "./timeline.module.css";
import { useWidth } from "./use-width.ts";

interface Props {
  lanes: readonly Lane[];
  whole: number;
  breaks: readonly Break[];
  range: Range;
  onRange: (range: Range) => void;
}

const HEIGHT = 26;
const strips = { model: 5, tools: 11, subagents: 11, waiting: 17 } as const;

/** The whole run, with a window that can be dragged and stretched. */
export function Overview({ lanes, whole, breaks, range, onRange }: Props) {
  const strip = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const colours = useColours();
  const width = useWidth(strip);
  const scale = useMemo(() => createScale({ from: 0, to: whole }, Math.max(width, 1), breaks), [whole, width, breaks]);

  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || !colours || width <= 0) return;
    const frame = requestAnimationFrame(() => {
      const ratio = devicePixelRatio || 1;
      context.canvas.width = Math.round(width * ratio);
      context.canvas.height = Math.round(HEIGHT * ratio);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      for (const { name, items } of lanes) {
        if (name === "turns") continue;
        for (const { left, right, item } of barsOf(items, scale.x)) {
          const hasFailed = item.kind === "retry" || (item.kind === "tool" && item.span.outcome === "failed");
          context.fillStyle = hasFailed
            ? colours.error
            : name === "model"
              ? colours.model
              : name === "waiting"
                ? colours.wait
                : colours.tool;
          context.fillRect(left, strips[name], Math.max(right - left, 1), 5);
        }
      }
    });
    return () => cancelAnimationFrame(frame);
  }, [lanes, scale, width, colours]);

  const left = scale.x(range.from);
  const right = scale.x(range.to);
  const drag = useRef<{ grip: "from" | "to" | "all"; x: number; range: Range } | undefined>(undefined);
  const place = (event: PointerEvent) => event.clientX - (strip.current?.getBoundingClientRect().left ?? 0);
  const start = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const x = place(event);
    strip.current?.setPointerCapture(event.pointerId);
    const grip = Math.abs(x - left) < 8 ? "from" : Math.abs(x - right) < 8 ? "to" : "all";
    const isOutside = grip === "all" && (x < left || x > right);
    const half = (right - left) / 2;
    const grabbed = isOutside ? within({ from: scale.time(x - half), to: scale.time(x + half) }, whole) : range;
    if (isOutside) onRange(grabbed);
    drag.current = { grip, x, range: grabbed };
  };
  const move = (event: PointerEvent) => {
    const held = drag.current;
    if (!held) return;
    const by = place(event) - held.x;
    const [from, to] = [scale.x(held.range.from), scale.x(held.range.to)];
    if (held.grip === "all") {
      const at = Math.max(0, Math.min(from + by, width - (to - from)));
      onRange(within({ from: scale.time(at), to: scale.time(at + to - from) }, whole));
    } else if (held.grip === "from")
      onRange(within({ ...held.range, from: scale.time(Math.min(from + by, to - 6)) }, whole));
    else onRange(within({ ...held.range, to: scale.time(Math.max(to + by, from + 6)) }, whole));
  };
  return (
    <div className={style.map}>
      <span>Whole run</span>
      <div
        ref={strip}
        className={style.strip}
        onPointerDown={start}
        onPointerMove={move}
        onPointerUp={() => {
          drag.current = undefined;
        }}
        onPointerCancel={() => {
          drag.current = undefined;
        }}
      >
        <canvas ref={canvas} />
        <span className={style.window} style={{ left, width: Math.max(right - left, 6) }} />
      </div>
    </div>
  );
}
