import type { TimePart, TimeParts } from "@spoor/protocol";
import { timeFills, timeNames, timeOrder } from "../../ui/time-parts.ts";
import { tookLabel } from "./span-words.ts";
import style from "./timeline.module.css";

/** Where the time went: one bar, and each part with its time and its share. */
export function Summary({ parts }: { parts: TimeParts }) {
  const present = timeOrder.filter((part) => parts[part] > 0);
  const share = (part: TimePart) => {
    const percent = (parts[part] / Math.max(parts.whole, 1)) * 100;
    return percent > 0 && percent < 1 ? "<1" : Math.round(percent);
  };
  const heard = present.map((part) => `${timeNames[part].toLowerCase()} ${tookLabel(parts[part])}`).join(", ");
  return (
    <>
      <div
        className={`split ${style.split}`}
        role="img"
        aria-label={`Of ${tookLabel(parts.whole)}: ${heard || "nothing yet"}`}
      >
        {present.length === 0 ? (
          <i className="m-idle" style={{ flexGrow: 1 }} />
        ) : (
          present.map((part) => <i key={part} className={timeFills[part]} style={{ flexGrow: parts[part] }} />)
        )}
      </div>
      <div className={`legend num ${style.legend}`}>
        {present.map((part) => (
          <span key={part}>
            <i className={timeFills[part]} />
            {timeNames[part]} {tookLabel(parts[part])} <span className="dim">{share(part)} %</span>
          </span>
        ))}
      </div>
    </>
  );
}
