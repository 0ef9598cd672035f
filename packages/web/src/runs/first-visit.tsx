import { NoAgents } from "../new-run/no-agents.tsx";
import { useAgents } from "../new-run/use-agents.ts";
import { useDemo } from "../new-run/use-demo.ts";
import { visibleLine } from "../text/visible.ts";
import { AgentTile } from "../ui/agent-tile.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { plural } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./first-visit.module.css";
import { Tracks } from "./tracks.tsx";

/** What people see before anything is recorded: one thing to press, three commands to copy, the agents that are here. */
export default function FirstVisit() {
  return (
    <main id="main" className={styles.welcome}>
      <Tracks className={styles.art ?? ""} />
      <h1>No tracks yet</h1>
      <p className={styles.lead}>
        Spoor records what coding agents say, do, change and cost, so that you can watch them, answer them, and look
        back. Nothing is recorded yet.
      </p>
      <Demo />
      <h2>Or run one of yours</h2>
      <ul className={`card ${styles.commands}`}>
        {commands.map(({ command, does }) => (
          <li key={command}>
            <code>
              <span className={styles.dollar}>$ </span>
              {command}
            </code>
            <span className="two">{does}</span>
            <CopyButton text={command} label={`Copy “${command}”`} />
          </li>
        ))}
      </ul>
      <h2>Agents on this machine</h2>
      <Agents />
    </main>
  );
}

const commands = [
  { command: 'npx spoor run claude "fix the failing test"', does: "record a run" },
  { command: "npx spoor sessions", does: "go on with an older one" },
  { command: "npx spoor tail", does: "follow everything in a terminal" },
] as const;

function Demo() {
  const { start, isStarting, problem } = useDemo();
  return (
    <>
      <div className={styles.go}>
        <button type="button" className="btn primary" disabled={isStarting} onClick={start}>
          <Icon name="play" small />
          {isStarting ? "Starting" : "Start the demo run"}
        </button>
        <span>About 20 seconds. Needs no key and no agent, and works in a scratch folder.</span>
      </div>
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

/** How many agents that were not found are named. */
const NAMED = 3;

function Agents() {
  const known = useAgents();
  const { agents } = known;
  if (!agents) return <NoAgents {...known} />;
  const found = agents.filter(({ installed }) => installed);
  const missing = agents.filter(({ installed }) => !installed);
  const named = missing.slice(0, found.length > 0 ? 1 : NAMED);
  const others = missing.length - named.length;
  return (
    <ul className={styles.found}>
      {found.map(({ agent, version, problem }) => (
        <li key={agent} title={problem}>
          <AgentTile agent={agent} />
          {agent}
          {version !== undefined && <span className="dim num">{visibleLine(version)}</span>}
        </li>
      ))}
      {named.map(({ agent }) => (
        <li key={agent} className={styles.no}>
          {agent}, not found
        </li>
      ))}
      {others > 0 && <li className={styles.no}>{plural(others, "more", "more")} Spoor can run</li>}
    </ul>
  );
}
