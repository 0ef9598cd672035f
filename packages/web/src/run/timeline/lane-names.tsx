import type { TimeParts } from "@spoor/protocol";
import { count, money, UNKNOWN } from "../../ui/format.ts";
import type { Lane } from "./lanes.ts";
import type { LaneBox } from "./layout.ts";
import { tookLabel } from "./span-words.ts";
import style from "./timeline.module.css";

const names: Record<LaneBox["name"], string> = {
  turns: "Turns",
  model: "Model",
  tools: "Tools",
  subagents: "Subagents",
  waiting: "Waiting",
  cost: "Cost",
};

/** The names of the lanes, each with its sum. */
export function LaneNames({
  boxes,
  parts,
  micros,
}: {
  boxes: readonly LaneBox[];
  parts: TimeParts;
  micros: number | undefined;
}) {
  const sum = ({ name, lane }: LaneBox): string => {
    if (name === "turns") return count(lane?.items.length ?? 0);
    if (name === "cost") return micros === undefined ? UNKNOWN : money(micros);
    if (name === "subagents") return tookLabel(lane ? covered(lane) : 0);
    const part = parts[name === "model" ? "model" : name === "tools" ? "tool" : "waiting"];
    return lane?.items.length === 0 ? "none" : tookLabel(part);
  };
  return (
    <ul className={style.lanes} aria-hidden="true">
      {boxes.map((box) => (
        <li key={box.name} className="num" style={{ height: box.height }}>
          <b>{names[box.name]}</b>
          <span>{sum(box)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The time in which at least one item of the lane went on. */
function covered({ items }: Lane): number {
  let [sum, end] = [0, 0];
  for (const { from, to } of items) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}
