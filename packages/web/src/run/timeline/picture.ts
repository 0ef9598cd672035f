import type { CostPoint } from "@spoor/protocol";
import type { LaneBox } from "./layout.ts";
import type { Scale } from "./scale.ts";
import type { Tick } from "./ticks.ts";

/** Everything that the picture of a run is drawn from. */
export interface Picture {
  readonly boxes: readonly LaneBox[];
  readonly height: number;
  readonly scale: Scale;
  readonly ticks: readonly Tick[];
  readonly costs: readonly CostPoint[];
  readonly costKnownAtEnd: boolean;
  readonly whole: number;
  /** The head is in this turn. */
  readonly turn: number | undefined;
}
