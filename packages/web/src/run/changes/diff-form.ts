import type { DiffLayout } from "../../diff/rows.ts";
import { stored, useStored } from "../../ui/stored.ts";
import { useMedia } from "../../ui/use-media.ts";

/** Side by side or unified, as the reader chose it. */
export const diffForm = stored<DiffLayout>(
  "diff-form",
  (text) => (text === "unified" ? "unified" : "split"),
  (form) => form,
);

/** The form of diffs here. On small screens there is no room for two texts beside each other. */
export function useDiffForm(): { form: DiffLayout; hasChoice: boolean } {
  const chosen = useStored(diffForm);
  const hasChoice = useMedia("(min-width: 1100px)");
  return { form: hasChoice ? chosen : "unified", hasChoice };
}
