import { useId } from "react";
import { visibleLine } from "../text/visible.ts";
import { AgentTile } from "../ui/agent-tile.tsx";
import { plural } from "../ui/format.ts";
import styles from "./new-run.module.css";
import { NoAgents } from "./no-agents.tsx";
import type { KnownAgents } from "./use-agents.ts";

interface AgentChoiceProps {
  known: KnownAgents;
  chosen: string;
  problem: string | undefined;
  onChoose: (agent: string) => void;
}

/** The agents to choose from: those that are here, then the names of those that are not. */
export function AgentChoice({ known, chosen, problem, onChoose }: AgentChoiceProps) {
  const note = useId();
  const { agents } = known;
  const found = agents?.filter(({ installed }) => installed) ?? [];
  const missing = agents?.filter(({ installed }) => !installed) ?? [];
  return (
    <fieldset className={styles.agents} aria-describedby={problem === undefined ? undefined : note}>
      <legend>Agent</legend>
      {!agents && <NoAgents {...known} />}
      {agents && found.length === 0 && <p className="dim">No agent was found on the server’s machine.</p>}
      {found.map(({ agent, title, version, controls, problem: why }) => (
        <label key={agent} className={styles.agent} title={why}>
          <input
            type="radio"
            name="agent"
            checked={agent === chosen}
            aria-invalid={problem !== undefined}
            onChange={() => onChoose(agent)}
          />
          <AgentTile agent={agent} />
          <span>
            {title}
            <small className="num">
              {version !== undefined && visibleLine(version)}
              {controls && (controls.asks_permission ? " · asks" : " · never asks")}
            </small>
          </span>
        </label>
      ))}
      {missing.length > 0 && (
        <p className={styles.hint} title={missing.map(({ agent }) => agent).join(", ")}>
          {plural(missing.length, "more", "more")} that Spoor can run {missing.length === 1 ? "is" : "are"} not
          installed:{" "}
          {missing
            .slice(0, 4)
            .map(({ agent }) => agent)
            .join(", ")}
          {missing.length > 4 && " …"}
        </p>
      )}
      {problem !== undefined && (
        <p id={note} className={styles.problem}>
          {problem}
        </p>
      )}
    </fieldset>
  );
}
