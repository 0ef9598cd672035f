import { type RefObject, useEffect, useRef } from "react";
import { pan, type Range, type Scale, zoom } from "./scale.ts";

interface Gestures {
  scale: Scale;
  whole: number;
  onRange: (range: Range) => void;
  onClick: (x: number, y: number) => void;
  onDoubleClick: (x: number) => void;
  onHover: (place: { x: number; y: number } | undefined) => void;
}

/** Less than this is a click and not a drag. */
const DRAG_PX = 4;

/** Drag pans; wheel with ⌘ or Ctrl, or two fingers, zoom around the pointer; a sideways wheel pans. */
export function useGestures(element: RefObject<HTMLElement | null>, gestures: Gestures): void {
  const latest = useRef(gestures);
  useEffect(() => {
    latest.current = gestures;
  });
  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const end = new AbortController();
    const on = <Name extends keyof HTMLElementEventMap>(
      name: Name,
      handle: (event: HTMLElementEventMap[Name]) => void,
    ) => target.addEventListener(name, handle, { signal: end.signal, passive: false });
    const place = ({ clientX, clientY }: MouseEvent) => {
      const { left, top } = target.getBoundingClientRect();
      return { x: clientX - left, y: clientY - top };
    };
    const fingers = new Map<number, { x: number; y: number }>();
    let start: { x: number; scale: Scale; isDrag: boolean } | undefined;
    let pinch: { x: number; apart: number; scale: Scale } | undefined;

    on("wheel", (event) => {
      const { scale, whole, onRange } = latest.current;
      if (event.metaKey || event.ctrlKey) {
        event.preventDefault();
        onRange(zoom(scale, place(event).x, Math.exp(clamp(event.deltaY, 120) * 0.006), whole));
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
        event.preventDefault();
        onRange(pan(scale, -(event.deltaX || event.deltaY), whole));
      }
    });
    on("pointerdown", (event) => {
      if (event.button !== 0) return;
      const at = place(event);
      fingers.set(event.pointerId, at);
      if (fingers.size === 2) {
        const [one = at, other = at] = fingers.values();
        pinch = {
          x: (one.x + other.x) / 2,
          apart: Math.max(Math.abs(one.x - other.x), 10),
          scale: latest.current.scale,
        };
        start = undefined;
      } else start = { x: at.x, scale: latest.current.scale, isDrag: false };
    });
    on("pointermove", (event) => {
      const at = place(event);
      const { whole, onRange, onHover } = latest.current;
      // The button may have been released where nobody told this element.
      if (event.buttons === 0) release(event);
      if (!fingers.has(event.pointerId)) {
        onHover(at);
        return;
      }
      fingers.set(event.pointerId, at);
      if (pinch && fingers.size === 2) {
        const [one = at, other = at] = fingers.values();
        onRange(zoom(pinch.scale, pinch.x, pinch.apart / Math.max(Math.abs(one.x - other.x), 10), whole));
      } else if (start && (start.isDrag || Math.abs(at.x - start.x) >= DRAG_PX)) {
        if (!start.isDrag) target.setPointerCapture(event.pointerId);
        start.isDrag = true;
        onHover(undefined);
        onRange(pan(start.scale, at.x - start.x, whole));
      }
    });
    const release = (event: PointerEvent) => {
      if (!fingers.delete(event.pointerId)) return;
      if (start && !start.isDrag && event.type === "pointerup") {
        const at = place(event);
        latest.current.onClick(at.x, at.y);
      }
      start = undefined;
      if (fingers.size < 2) pinch = undefined;
    };
    on("pointerup", release);
    on("pointercancel", release);
    on("pointerleave", () => latest.current.onHover(undefined));
    on("dblclick", (event) => latest.current.onDoubleClick(place(event).x));
    return () => end.abort();
  }, [element]);
}

const clamp = (value: number, most: number): number => Math.max(-most, Math.min(value, most));
