import { VisibleText } from "../text/visible-text.tsx";
import { timeFills } from "../ui/time-parts.ts";
import { type Column, promptOf } from "./column.ts";
import styles from "./compare.module.css";
import { legendOf, names, type StripPart } from "./time-strip.ts";

/** Says whether the runs were asked the same. */
export function Prompt({ columns }: { columns: readonly Column[] }) {
  const prompts = [...new Set(columns.filter(({ state }) => state === "ready").map(promptOf))];
  const [only = ""] = prompts;
  if (prompts.length === 0 || (prompts.length === 1 && only === "")) return null;
  if (prompts.length > 1) return <span className="dim">Different prompts: each stands in its column.</span>;
  return (
    <>
      <span className="dim">{columns.length > 1 ? "Same prompt" : "Prompt"}</span>
      <q className={styles.quoted}>
        <VisibleText text={only} />
      </q>
    </>
  );
}

export function Legend({ strips }: { strips: readonly (readonly StripPart[])[] }) {
  return (
    <span className="legend">
      {legendOf(strips).map((part) => (
        <span key={part}>
          <i className={timeFills[part]} />
          {names[part]}
        </span>
      ))}
    </span>
  );
}
