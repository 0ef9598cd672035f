export { createSpanFold, type SpanFold, spansOf } from "./span-fold.ts";
export {
  type TimePart,
  type TimeParts,
  type TimeSegment,
  timePartNames,
  timeParts,
  timeSegments,
} from "./time-parts.ts";
export type * from "./types.ts";
