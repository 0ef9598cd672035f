import type { DiffLayout } from "../../diff/rows.ts";
import { RunTools } from "../head/run-tools.tsx";
import { diffForm } from "./diff-form.ts";

/** Side by side or unified. */
export const FormSwitch = ({ form }: { form: DiffLayout }) => (
  <RunTools>
    {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as this row. */}
    <span className="seg" role="group" aria-label="Diff form">
      {choices.map(([value, name]) => (
        <button key={value} type="button" aria-pressed={form === value} onClick={() => diffForm.write(value)}>
          {name}
        </button>
      ))}
    </span>
  </RunTools>
);

const choices: readonly [DiffLayout, string][] = [
  ["split", "Side by side"],
  ["unified", "Unified"],
];
