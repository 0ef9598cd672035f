import type { RunView } from "@spoor/protocol";
import { cost, count, money, short, sourcePhrase } from "../../ui/format.ts";
import styles from "./panel.module.css";

/** What the run cost, where the figure comes from, and how much of its limits is used. */
export function CostPart({ view }: { view: RunView }) {
  const { cost: spent, budget, limits } = view;
  const { amount, source } = cost(spent.micros, spent.source);
  const cached = spent.cachedInputTokens
    ? Math.round((100 * spent.cachedInputTokens) / Math.max(1, spent.inputTokens))
    : 0;
  const share = budget?.micros ? Math.round((100 * spent.micros) / budget.micros) : undefined;
  return (
    <section className={styles.cost}>
      <h2>
        Cost <b className="num">{amount}</b>
      </h2>
      <dl className={`${styles.facts} num`}>
        <Fact name="Source">{sourcePhrase(source)}</Fact>
        {budget?.micros !== undefined && (
          <Fact name="Budget">
            <span className={budget.state === "within" ? "" : styles.over}>
              {share} % of {money(budget.micros)}
            </span>
            <span className={`meter ${styles.meter}`}>
              <i style={{ width: `${Math.min(100, share ?? 0)}%` }} />
            </span>
          </Fact>
        )}
        {budget?.action && (
          <Fact name="">{budget.action === "paused" ? "paused at the budget" : "ended at the budget"}</Fact>
        )}
        {spent.inputTokens > 0 && (
          <Fact name="Input">
            {count(spent.inputTokens)}
            {cached > 0 && ` · ${cached} % cached`}
          </Fact>
        )}
        {spent.outputTokens > 0 && <Fact name="Output">{count(spent.outputTokens)}</Fact>}
        {limits.context && (
          <Fact name="Context">
            {Math.round(limits.context.pctUsed)} % of {short(limits.context.maxTokens)}
          </Fact>
        )}
      </dl>
    </section>
  );
}

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
