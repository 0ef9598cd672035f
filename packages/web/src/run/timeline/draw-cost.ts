import { money } from "../../ui/format.ts";
import type { Colours } from "./colours.ts";
import { costLines } from "./cost-steps.ts";
import type { LaneBox } from "./layout.ts";
import type { Picture } from "./picture.ts";

/** Draws the cost as steps. A cost that the agent told only at the end is a dashed rise over the run. */
export function drawCost(
  context: CanvasRenderingContext2D,
  { top, height }: LaneBox,
  { costs, scale, costKnownAtEnd, whole }: Picture,
  colours: Colours,
): void {
  const most = costs.reduce((highest, { micros }) => Math.max(highest, micros), 0);
  const base = top + height - 12;
  const room = height - 36;
  const y = (micros: number): number => base - (most > 0 ? (micros / most) * room : 0);
  const lines = [0, ...costLines(most)].map((micros) => ({ micros, y: y(micros) }));
  drawLines(context, lines, scale.width, colours);
  if (most === 0) return;

  const right = scale.x(whole);
  context.save();
  context.beginPath();
  context.rect(0, top, scale.width, height);
  context.clip();
  context.beginPath();
  context.moveTo(scale.x(0), base);
  if (costKnownAtEnd) context.lineTo(right, y(most));
  else {
    let before = base;
    for (const { at, micros } of costs) {
      const x = scale.x(at);
      context.lineTo(x, before);
      before = y(micros);
      context.lineTo(x, before);
    }
    context.lineTo(right, y(costs.at(-1)?.micros ?? 0));
  }
  context.strokeStyle = colours.ink;
  context.lineWidth = 1.75;
  context.setLineDash(costKnownAtEnd ? [5, 4] : []);
  context.stroke();
  context.setLineDash([]);
  context.lineTo(right, base);
  context.closePath();
  context.globalAlpha = 0.07;
  context.fillStyle = colours.ink;
  context.fill();
  context.globalAlpha = 1;
  if (costKnownAtEnd) {
    context.font = `11px ${colours.sans}`;
    context.fillStyle = colours.ink3;
    context.textBaseline = "alphabetic";
    context.fillText("known at the end", 8, base - 8);
  }
  context.restore();
  writeAmounts(context, lines, colours);
}

function drawLines(
  context: CanvasRenderingContext2D,
  lines: readonly { micros: number; y: number }[],
  width: number,
  { line }: Colours,
): void {
  context.strokeStyle = line;
  context.lineWidth = 1;
  context.setLineDash([2, 4]);
  for (const { y } of lines) {
    context.beginPath();
    context.moveTo(0, Math.round(y) + 0.5);
    context.lineTo(width, Math.round(y) + 0.5);
    context.stroke();
  }
  context.setLineDash([]);
}

/** The amounts stand at the left, where the cost is still low. */
function writeAmounts(
  context: CanvasRenderingContext2D,
  lines: readonly { micros: number; y: number }[],
  { surface, ink3, mono }: Colours,
): void {
  context.font = `10.5px ${mono}`;
  context.textBaseline = "alphabetic";
  context.lineWidth = 4;
  context.lineJoin = "round";
  context.strokeStyle = surface;
  context.fillStyle = ink3;
  for (const { micros, y } of lines) {
    if (micros === 0) continue;
    context.strokeText(money(micros), 8, y - 4);
    context.fillText(money(micros), 8, y - 4);
  }
}
