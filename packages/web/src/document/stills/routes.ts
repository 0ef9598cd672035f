import { fragmentOf, type RunScreen } from "../../routes.ts";

export { fragmentOf };

/** The places inside of the file. Other runs and other screens have none. */
export const routes = {
  runs: () => "",
  run: (_runId: string, view?: RunScreen) => (view === "changes" ? "#changes" : ""),
  event: (_runId: string, sequence: number) => `#e${sequence}`,
  file: (_runId: string, path: string) => `#${fileId(path)}`,
  approvals: () => "",
} as const;

/** The id of a changed file among the changes. */
export const fileId = (path: string): string => `file-${fragmentOf(path)}`;
