import type { RunSnapshot } from "../../live/run-snapshot.ts";

/** What a run is called: the first line of its prompt. */
export function titleOf({ record, view }: RunSnapshot): string {
  const prompt = view.prompts[0]?.text.trim().split("\n", 1)[0];
  return record?.title || prompt || (view.agent ? `Run of ${view.agent}` : "Run");
}
