import { Icon } from "../../ui/icon.tsx";
import { timeFills } from "../../ui/time-parts.ts";
import type { Item } from "./lanes.ts";
import { tookLabel, wordsOf } from "./span-words.ts";
import style from "./timeline.module.css";

const looks: { readonly [Kind in Item["kind"]]?: string } = {
  wait: timeFills.waiting,
  model: timeFills.model,
  retry: timeFills.retrying,
};

/** The five things that took longest. A press selects one in the picture. */
export function Longest({ items, onSelect }: { items: readonly Item[]; onSelect: (item: Item) => void }) {
  const most = Math.max(...items.map(({ from, to }) => to - from), 1);
  return (
    <section>
      <h2>What took longest</h2>
      {items.length === 0 ? (
        <p className="two">Nothing has taken time yet.</p>
      ) : (
        <ol className={`card ${style.slow}`}>
          {items.map((item) => {
            const { title, detail, isCode, icon } = wordsOf(item);
            const took = item.to - item.from;
            return (
              <li key={`${item.kind} ${item.span.sequence} ${item.from}`}>
                <button type="button" onClick={() => onSelect(item)}>
                  <Icon name={icon} small />
                  <span className="cut">
                    <b>{title}</b> <bdi className={isCode ? "two mono" : "two"}>{detail}</bdi>
                  </span>
                  <span className={style.bar}>
                    <i
                      className={looks[item.kind] ?? timeFills.tool}
                      style={{ width: `${Math.max((took / most) * 100, 2)}%` }}
                    />
                  </span>
                  <span className="num">{tookLabel(took)}</span>
                </button>
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}

/** The longest waits, stretches of the model, calls, subagents and retries. Turns consist of these. */
export function longestOf(items: readonly Item[], count = 5): Item[] {
  const delegated = new Set(items.filter(({ kind }) => kind === "subagent").map(({ span }) => span.turn));
  return items
    .filter(({ kind, span, from, to }) => {
      if (kind === "turn" || kind === "thinking" || to - from <= 0) return false;
      // The call that runs a subagent takes as long as the subagent.
      return !(kind === "tool" && span.of === "subagent" && delegated.has(span.turn));
    })
    .sort((one, other) => other.to - other.from - (one.to - one.from))
    .slice(0, count);
}
