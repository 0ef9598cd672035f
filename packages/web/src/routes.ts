/** The addresses of the page. Every link is made here, so that a route is renamed in one place. */
export const routes = {
  runs: () => "/",
  newRun: () => "/?new",
  run: (runId: string, view: RunScreen = "conversation", fragment = "") =>
    `/runs/${encodeURIComponent(runId)}${view === "conversation" ? "" : `/${view}`}${fragment && `#${fragment}`}`,
  /** The item of the conversation that begins with an event. */
  event: (runId: string, sequence: number) => routes.run(runId, "conversation", `e${sequence}`),
  /** A file among the changes of a run. */
  file: (runId: string, path: string) => routes.run(runId, "changes", fragmentOf(path)),
  approvals: (approvalId?: string) => (approvalId ? `/approvals/${encodeURIComponent(approvalId)}` : "/approvals"),
  compare: (runIds: readonly string[] = []) =>
    `/compare${runIds.length > 0 ? `?${new URLSearchParams(runIds.map((id) => ["run", id]))}` : ""}`,
  usage: () => "/usage",
  events: () => "/events",
} as const;

/** A text as the part of an address behind `#`. Names of files may hold halves of characters, which no address can. */
export const fragmentOf = (text: string): string => encodeURIComponent(text.toWellFormed());

/** The views of one run, in the order of their tabs and keys. */
export const runScreens = ["conversation", "changes", "timeline", "events"] as const;
export type RunScreen = (typeof runScreens)[number];

export const isRunScreen = (name: string): name is RunScreen => runScreens.some((screen) => screen === name);
