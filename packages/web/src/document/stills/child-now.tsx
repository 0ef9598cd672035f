/** The run of a subagent has a file of its own, if somebody writes one. */
export const ChildLink = ({ runId }: { runId: string }) => <span className="dim mono">{runId}</span>;

/** What a subagent does at this moment is not known to a file. */
export const ChildNow = () => null;
