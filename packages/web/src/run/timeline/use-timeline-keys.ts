import type { RefObject } from "react";
import { announce } from "../../ui/announce.ts";
import { useKeys } from "../../ui/keys.ts";
import { neighbour } from "./find-item.ts";
import type { Item } from "./lanes.ts";
import type { LaneBox } from "./layout.ts";
import { type Range, type Scale, zoom } from "./scale.ts";
import { tookLabel, wordsOf } from "./span-words.ts";

interface Options {
  boxes: readonly LaneBox[];
  scale: Scale;
  whole: number;
  head: number;
  selected: Item | undefined;
  plot: RefObject<HTMLElement | null>;
  setRange: (range: Range | undefined) => void;
  select: (item: Item | undefined) => void;
  show: (item: Item) => void;
  toTurn: (direction: -1 | 1) => void;
  play: () => void;
}

/** The keys of the timeline. */
export function useTimelineKeys(options: Options): void {
  const { boxes, scale, whole, head, selected, plot, setRange, select, show, toTurn, play } = options;
  const go = (direction: "left" | "right" | "up" | "down") => () => {
    const item = neighbour(boxes, selected, direction, head);
    if (!item) return false;
    select(item);
    plot.current?.focus({ preventScroll: true });
    const { title, detail } = wordsOf(item);
    announce(`${title}${detail ? ` ${detail}` : ""}, ${tookLabel(item.to - item.from)}.`);
    return true;
  };
  const zoomBy = (factor: number) => () => {
    const middle = selected ? scale.x((selected.from + selected.to) / 2) : scale.width / 2;
    const isInView = middle >= 0 && middle <= scale.width;
    setRange(zoom(scale, isInView ? middle : scale.width / 2, factor, whole));
  };
  useKeys({
    arrowleft: go("left"),
    arrowright: go("right"),
    arrowup: go("up"),
    arrowdown: go("down"),
    "+": zoomBy(1 / 1.5),
    "=": zoomBy(1 / 1.5),
    "-": zoomBy(1.5),
    "0": () => setRange(undefined),
    space: play,
    "[": () => toTurn(-1),
    "]": () => toTurn(1),
    enter: () => (selected ? show(selected) : false),
    escape: () => (selected ? select(undefined) : false),
  });
}
