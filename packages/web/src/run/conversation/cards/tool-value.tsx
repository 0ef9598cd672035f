import { useState } from "react";
import { VisibleText } from "../../../text/visible-text.tsx";
import { bytes } from "../../../ui/format.ts";
import styles from "./cards.module.css";

/** Lines of a value that are shown at first. */
const LINES = 20;

/** A value of a call and its name. Of a long one the beginning is shown at first. */
export function Value({ name, value, isBad = false }: { name: string; value: unknown; isBad?: boolean }) {
  const [isAll, setAll] = useState(false);
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  const lines = text.trimEnd().split("\n");
  const isLong = lines.length > LINES || text.length > 4_000;
  const shown = isLong && !isAll ? lines.slice(0, LINES).join("\n").slice(0, 4_000) : text.trimEnd().slice(0, 200_000);
  return (
    <div className={`${styles.value} ${isBad ? styles.badValue : ""}`}>
      <span className={styles.name}>
        <VisibleText text={name} />
      </span>
      <div>
        <pre>
          <VisibleText text={shown} />
        </pre>
        {isLong && (
          <button type="button" className="btn quiet small" onClick={() => setAll(!isAll)}>
            {isAll ? "Show less" : `Show all ${bytes(text.length)}`}
          </button>
        )}
      </div>
    </div>
  );
}
