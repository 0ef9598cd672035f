import type { ToolView } from "@spoor/protocol";
import type { ReactNode } from "react";
import { VisibleText } from "../../../text/visible-text.tsx";
import { CopyButton } from "../../../ui/copy.tsx";
import { bytes } from "../../../ui/format.ts";
import { joined } from "../../../ui/joined.ts";
import styles from "./cards.module.css";
import { Value } from "./tool-value.tsx";

/** The input and output of a call as lines of name and value. */
export function ToolValues({ tool, children }: { tool: ToolView; children: ReactNode }) {
  const { details } = tool;
  return (
    <div className={styles.values}>
      {tool.inputText !== undefined && <Value name="input" value={tool.inputText} />}
      <Values value={tool.input} name="input" />
      <Values value={tool.output} name="output" />
      {tool.output === undefined && joined(details, ({ data }) => <Values value={data} name="result" />)}
      {tool.error && <Value name="error" value={tool.error} isBad />}
      {tool.outputOmittedBytes !== undefined && (
        <p className={styles.quietLine}>{bytes(tool.outputOmittedBytes)} of output are too long to be shown.</p>
      )}
      <div className={styles.foot}>
        <span className="dim mono">
          <VisibleText text={tool.name} />
        </span>
        {children}
      </div>
    </div>
  );
}

/** What went wrong with a call whose parts do not say it. */
export const ToolError = ({ text }: { text: string }) => (
  <div className={styles.values}>
    <Value name="error" value={text} isBad />
  </div>
);

/** A call as it is stored. */
export function ToolJson({ tool, children }: { tool: ToolView; children: ReactNode }) {
  const { name, input, output, details } = tool;
  const json = JSON.stringify({ name, input, output, details }, null, 2);
  return (
    <div className={styles.values}>
      <pre className={styles.raw}>
        <VisibleText text={json.slice(0, 100_000)} />
      </pre>
      <div className={styles.foot}>
        <span className="dim num">{bytes(json.length)}</span>
        {children}
        <CopyButton text={json} label="Copy the JSON" />
      </div>
    </div>
  );
}

const hiddenFields: ReadonlySet<string> = new Set(["tool_call_id"]);

function Values({ value, name }: { value: unknown; name: string }) {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value !== "object" || Array.isArray(value)) return <Value name={name} value={value} />;
  return Object.entries(value)
    .filter(([field, own]) => !hiddenFields.has(field) && own !== undefined)
    .map(([field, own]) => <Value key={field} name={field} value={own} />);
}
