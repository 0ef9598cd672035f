import type { UsageAnswer, UsageRow } from "@spoor/protocol/client";
import { visibleLine } from "../text/visible.ts";
import { AgentTile } from "../ui/agent-tile.tsx";
import { count, money, plural, short, sourceWord, UNKNOWN } from "../ui/format.ts";
import { share } from "./figures.tsx";
import { type ModelUsage, modelsOf } from "./summary.ts";
import styles from "./table.module.css";

/** What each model of each agent used. */
export function Table({ rows, total }: { rows: readonly UsageRow[]; total: UsageAnswer["total"] }) {
  const models = modelsOf(rows);
  return (
    <section className={`card ${styles.box}`} aria-label="Usage by agent and model">
      <table className={`num ${styles.table}`}>
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col">Model</th>
            <th scope="col">Runs</th>
            <th scope="col">Tokens in</th>
            <th scope="col">Cached</th>
            <th scope="col">Tokens out</th>
            <th scope="col">Source</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {models.map((usage) => (
            <Row key={`${usage.agent} ${usage.model}`} usage={usage} all={total.cost_micros_usd} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td>All</td>
            <td />
            <td>{count(total.runs)}</td>
            <td>{known(total.input_tokens, total.runs - total.runs_without_tokens)}</td>
            <td>{total.cached_input_tokens > 0 ? share(total.cached_input_tokens, total.input_tokens) : UNKNOWN}</td>
            <td>{known(total.output_tokens, total.runs - total.runs_without_tokens)}</td>
            <td>{total.runs_without_cost > 0 && <small>{plural(total.runs_without_cost, "run")} unknown</small>}</td>
            <td>{total.runs > total.runs_without_cost ? money(total.cost_micros_usd) : UNKNOWN}</td>
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

function Row({ usage, all }: { usage: ModelUsage; all: number }) {
  const { agent, model, runs, runsWithoutCost, runsWithoutTokens, inputTokens, cachedTokens, outputTokens } = usage;
  const { micros, source } = usage;
  const name = model === "" ? "unknown" : visibleLine(model);
  const isPriced = source !== "unknown" && source !== "none";
  return (
    <tr>
      <td>
        <span className="agent">
          <AgentTile agent={agent} />
          <span className={styles.name}>
            {visibleLine(agent)}
            <small>{name}</small>
          </span>
        </span>
      </td>
      <td className={`two ${styles.model}`}>{name}</td>
      <td>{count(runs)}</td>
      <td>{known(inputTokens, runs - runsWithoutTokens)}</td>
      <td>{cachedTokens > 0 ? share(cachedTokens, inputTokens) : UNKNOWN}</td>
      <td>{known(outputTokens, runs - runsWithoutTokens)}</td>
      <td>
        <span className="tag">{sourceWord(source)}</span>
        {isPriced && runsWithoutCost > 0 && <small> {count(runsWithoutCost)} unknown</small>}
      </td>
      <td className={styles.cost}>
        {isPriced ? (
          <>
            <span className={styles.share} aria-hidden="true">
              <i style={{ width: `${all > 0 ? (100 * micros) / all : 0}%` }} />
            </span>
            <span className={styles.amount}>{money(micros)}</span>
          </>
        ) : (
          <span className="dim">{source === "none" ? "free" : UNKNOWN}</span>
        )}
      </td>
    </tr>
  );
}

/** Tokens, if at least one run tells them. */
const known = (tokens: number, runs: number): string => (runs > 0 ? short(tokens) : UNKNOWN);
