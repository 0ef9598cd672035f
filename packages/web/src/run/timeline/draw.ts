import { type Bar, barsOf } from "./bars.ts";
import type { Colours } from "./colours.ts";
import { drawCost } from "./draw-cost.ts";
import type { Item } from "./lanes.ts";
import type { LaneBox } from "./layout.ts";
import { visible } from "./pack.ts";
import type { Picture } from "./picture.ts";
import type { Scale } from "./scale.ts";
import { barText } from "./span-words.ts";
import type { Tick } from "./ticks.ts";

/** Draws the lanes. One canvas holds all bars, so that thousands of them move at once. */
export function drawPicture(context: CanvasRenderingContext2D, picture: Picture, colours: Colours): void {
  const { boxes, height, scale, ticks, turn } = picture;
  context.clearRect(0, 0, scale.width, height);
  drawGrid(context, boxes, ticks, height, scale, colours);
  for (const box of boxes) {
    for (const { row, top, height: bar } of box.rows) {
      for (const one of barsOf(visible(row, scale.range), scale.x))
        drawBar(context, one, top, bar, scale.width, turn, colours);
    }
    if (box.more) drawMore(context, barsOf(joined(visible(box.more.row, scale.range)), scale.x), box.more.top, colours);
    if (box.name === "cost") drawCost(context, box, picture, colours);
  }
  for (const { from, to } of scale.breaks) drawBreak(context, scale.x(from), scale.x(to), height, colours);
}

function drawGrid(
  context: CanvasRenderingContext2D,
  boxes: readonly LaneBox[],
  ticks: readonly Tick[],
  height: number,
  { width }: Scale,
  { line }: Colours,
): void {
  context.fillStyle = line;
  for (const { top } of boxes.slice(1)) context.fillRect(0, top, width, 1);
  for (const { x } of ticks) context.fillRect(Math.round(x), 0, 1, height);
}

function drawBar(
  context: CanvasRenderingContext2D,
  bar: Bar<Item>,
  top: number,
  height: number,
  width: number,
  turn: number | undefined,
  colours: Colours,
): void {
  const left = Math.max(bar.left, -8);
  const right = Math.min(bar.right, width + 8);
  if (right <= left) return;
  // Neighbours keep a pixel of ground between them.
  const wide = Math.max(right - left - (right - left > 3 ? 1 : 0), 1.5);
  const { item } = bar;
  context.beginPath();
  context.roundRect(left, top, wide, height, Math.min(item.kind === "turn" ? 4 : 3, wide / 2));
  context.globalAlpha = bar.density * (item.span.outcome === "cancelled" && item.kind === "tool" ? 0.55 : 1);
  if (item.kind === "turn") fillTurn(context, bar, item.span.turn !== undefined && item.span.turn === turn, colours);
  else if (item.kind === "wait") fillWait(context, left, top, wide, height, colours);
  else if (item.kind === "subagent") fillOutlined(context, colours.subagent, colours.tool);
  else {
    context.fillStyle = colourOf(item, colours);
    context.fill();
  }
  context.globalAlpha = 1;
  if (bar.count === 1)
    write(context, barText(item), Math.max(left, 0) + 7, top, right - 4, height, textColour(item, colours), colours);
}

function colourOf({ kind, span }: Item, colours: Colours): string {
  if (kind === "retry" || span.outcome === "failed" || span.outcome === "timed_out") {
    return kind === "model" || kind === "thinking" ? colours[kind === "model" ? "model" : "think"] : colours.error;
  }
  return kind === "thinking" ? colours.think : kind === "model" ? colours.model : colours.tool;
}

const textColour = ({ kind }: Item, colours: Colours): string =>
  kind === "turn" ? colours.ink2 : kind === "wait" || kind === "subagent" ? colours.ink : colours.onBar;

function fillTurn(
  context: CanvasRenderingContext2D,
  { density }: Bar<Item>,
  isCurrent: boolean,
  { ink }: Colours,
): void {
  context.globalAlpha = density * (isCurrent ? 0.18 : 0.08);
  context.fillStyle = ink;
  context.fill();
}

function fillOutlined(context: CanvasRenderingContext2D, ground: string, edge: string): void {
  context.fillStyle = ground;
  context.fill();
  context.strokeStyle = edge;
  context.lineWidth = 1;
  context.stroke();
}

/** Waiting is hatched, so that it is told from work without colours. */
function fillWait(
  context: CanvasRenderingContext2D,
  left: number,
  top: number,
  width: number,
  height: number,
  { wait, waitGround }: Colours,
): void {
  context.fillStyle = waitGround;
  context.fill();
  context.save();
  context.clip();
  context.globalAlpha *= 0.42;
  context.strokeStyle = wait;
  context.lineWidth = 3;
  context.beginPath();
  for (let x = left - height; x < left + width; x += 11.3) {
    context.moveTo(x, top + height + 2);
    context.lineTo(x + height + 4, top - 2);
  }
  context.stroke();
  context.restore();
  context.strokeStyle = wait;
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(left + 0.5, top + 0.5, Math.max(width - 1, 1), height - 1, 3);
  context.stroke();
}

/** Writes as much of a text as fits. */
function write(
  context: CanvasRenderingContext2D,
  text: string,
  left: number,
  top: number,
  right: number,
  height: number,
  colour: string,
  { sans }: Colours,
): void {
  const room = right - left;
  if (text === "" || room < 18) return;
  context.font = `550 11px ${sans}`;
  context.fillStyle = colour;
  context.textBaseline = "middle";
  context.fillText(fitting(context, text, room), left, top + height / 2 + 0.5);
}

function fitting(context: CanvasRenderingContext2D, text: string, room: number): string {
  const short = text.slice(0, Math.ceil(room / 3));
  if (short === text && context.measureText(text).width <= room) return text;
  let [low, high] = [0, short.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${short.slice(0, middle)}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : `${short.slice(0, low).trimEnd().toWellFormed()}…`;
}

/** Items that overlap, as stretches of time with their number. */
function joined(items: readonly Item[]): (Item & { count: number })[] {
  const stretches: (Item & { count: number })[] = [];
  for (const item of items) {
    const last = stretches.at(-1);
    if (last && item.from <= last.to) {
      stretches[stretches.length - 1] = { ...last, to: Math.max(last.to, item.to), count: last.count + 1 };
    } else stretches.push({ ...item, count: 1 });
  }
  return stretches;
}

function drawMore(
  context: CanvasRenderingContext2D,
  bars: readonly Bar<Item & { count: number }>[],
  top: number,
  { tool, ink2, mono }: Colours,
): void {
  for (const { left, right, item, count } of bars) {
    context.fillStyle = tool;
    context.globalAlpha = 0.45;
    context.fillRect(left, top, Math.max(right - left, 2), 3);
    context.globalAlpha = 1;
    context.font = `10.5px ${mono}`;
    context.fillStyle = ink2;
    context.textBaseline = "top";
    context.fillText(`+${Math.max(count, item.count)}`, Math.max(left, 2), top + 5);
  }
}

/** A band between two jagged edges: time that was left out. */
function drawBreak(
  context: CanvasRenderingContext2D,
  left: number,
  right: number,
  height: number,
  colours: Colours,
): void {
  if (right < 0 || right - left < 1) return;
  context.fillStyle = colours.surface;
  context.fillRect(left, 0, right - left, height);
  context.strokeStyle = colours.idle;
  context.lineWidth = 1.5;
  for (const edge of [left + 2, right - 2]) {
    context.beginPath();
    for (let y = 0; y <= height; y += 6) context.lineTo(edge + (y % 12 === 0 ? -2 : 2), y);
    context.stroke();
  }
}
