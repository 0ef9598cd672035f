import { type PointerEvent, useRef } from "react";
import { span as spanWords } from "../../ui/format.ts";
import { headLabel } from "../replay/moment-label.ts";
import type { Scale } from "./scale.ts";
import type { Tick } from "./ticks.ts";
import style from "./timeline.module.css";

interface Props {
  scale: Scale;
  ticks: readonly Tick[];
  head: number | undefined;
  whole: number;
  onHead: (time: number) => void;
}

/** The times of the picture. A press or a drag on it moves the head. */
export function Axis({ scale, ticks, head, whole, onHead }: Props) {
  const axis = useRef<HTMLDivElement>(null);
  const move = (event: PointerEvent) => {
    const left = axis.current?.getBoundingClientRect().left ?? 0;
    onHead(Math.max(0, Math.min(scale.time(event.clientX - left), whole)));
  };
  const headX = head === undefined ? -1 : scale.x(head);
  const isHeadInView = head !== undefined && headX >= -0.5 && headX <= scale.width + 1;
  return (
    <div
      ref={axis}
      className={`${style.axis} num`}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        axis.current?.setPointerCapture(event.pointerId);
        move(event);
      }}
      onPointerMove={(event) => axis.current?.hasPointerCapture(event.pointerId) && move(event)}
    >
      {ticks.map(({ time, x, label }) =>
        x > scale.width - 12 - label.length * 7 || (isHeadInView && Math.abs(x - headX + 20) < 42) ? null : (
          <span key={time} style={{ left: x }}>
            {label}
          </span>
        ),
      )}
      {scale.breaks.map(({ from, to }) => {
        const x = (scale.x(from) + scale.x(to)) / 2;
        if (x < 0 || x > scale.width) return null;
        return (
          <span key={from} className={style.fold} style={{ left: x }} title={`${spanWords(to - from)} idle`}>
            ⋯ {spanWords(to - from)}
          </span>
        );
      })}
      {isHeadInView && (
        <span className={style.head} style={{ left: Math.max(22, Math.min(headX, scale.width - 22)) }}>
          {headLabel(head, whole)}
        </span>
      )}
    </div>
  );
}
