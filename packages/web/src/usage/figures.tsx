import type { UsageAnswer } from "@spoor/protocol/client";
import { count, money, plural, short, sourceWord, UNKNOWN } from "../ui/format.ts";
import { plainDay } from "./days.ts";
import styles from "./figures.module.css";

type Total = UsageAnswer["total"];

/** The sums of the range. What is not known is said beside them. */
export function Figures({ days, total }: { days: readonly string[]; total: Total }) {
  const isPriced = total.runs > total.runs_without_cost;
  const hasTokens = total.runs > total.runs_without_tokens;
  const from = `${plainDay(days[0] ?? "")} to ${plainDay(days.at(-1) ?? "")}`;
  return (
    <dl className={`card num ${styles.figures}`}>
      <div>
        <dt>Cost, {from}</dt>
        <dd>{isPriced ? money(total.cost_micros_usd) : UNKNOWN}</dd>
        <dd className={styles.small}>
          <Sources total={total} />
        </dd>
      </div>
      <div>
        <dt>Runs</dt>
        <dd>{count(total.runs)}</dd>
        <dd className={styles.small}>
          {join([
            total.runs_failed > 0 && `${count(total.runs_failed)} failed`,
            total.runs_cancelled > 0 && `${count(total.runs_cancelled)} cancelled`,
          ]) || "none failed"}
        </dd>
      </div>
      <div>
        <dt>Tokens in</dt>
        <dd>{hasTokens ? short(total.input_tokens) : UNKNOWN}</dd>
        <dd className={styles.small}>
          {join([
            total.cached_input_tokens > 0 && `${share(total.cached_input_tokens, total.input_tokens)} read from caches`,
            total.runs_without_tokens > 0 && `${plural(total.runs_without_tokens, "run")} unknown`,
          ])}
        </dd>
      </div>
      <div>
        <dt>Tokens out</dt>
        <dd>{hasTokens ? short(total.output_tokens) : UNKNOWN}</dd>
        <dd className={styles.small}>
          {total.thinking_tokens > 0 && `${short(total.thinking_tokens)} of them thinking`}
        </dd>
      </div>
    </dl>
  );
}

const order = ["billed", "agent_reported", "estimated"] as const;

/** How much of the cost comes from where, as a bar and in words. */
function Sources({ total }: { total: Total }) {
  const { cost_by_source: by, cost_micros_usd: all, runs_without_cost: unknown } = total;
  const parts = order.flatMap((source) => {
    const micros = by[source] ?? 0;
    return micros > 0 ? [{ source, micros, text: `${share(micros, all)} ${sourceWord(source)}` }] : [];
  });
  const words = join([
    ...parts.map(({ text }) => text),
    unknown > 0 && `${plural(unknown, "run")} unknown`,
    parts.length === 0 && unknown === 0 && "nothing was charged",
  ]);
  return (
    <>
      <span className={styles.sources} aria-hidden="true">
        {parts.map(({ source, micros }) => (
          <i key={source} className={styles[source]} style={{ flexGrow: micros }} />
        ))}
        {parts.length === 0 && <i className={styles.unknown} style={{ flexGrow: 1 }} />}
      </span>
      {words}
    </>
  );
}

/** A part of a whole. Something is never 0 %, and not all is never 100 %. */
export function share(part: number, whole: number): string {
  if (whole <= 0) return "0 %";
  const percent = Math.round((100 * part) / whole);
  const shown = part > 0 && percent === 0 ? "<1" : part < whole && percent === 100 ? ">99" : String(percent);
  return `${shown} %`;
}

const join = (words: readonly (string | false)[]): string => words.filter(Boolean).join(" · ");
