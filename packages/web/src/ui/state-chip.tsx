import { Icon } from "./icon.tsx";
import type { ShownState } from "./run-state.ts";

/** The state of a run: its icon and its word. `chip` draws a box around it, for heads. */
export function StateChip({ state, form = "plain" }: { state: ShownState; form?: "plain" | "chip" }) {
  return (
    <span className={`${form === "chip" ? "chip" : "state"} ${state.tone}`}>
      <Icon name={state.icon} small={form === "chip"} />
      {state.word}
    </span>
  );
}
