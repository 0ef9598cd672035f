import type { RunView } from "./types.ts";

/** Finds items without searching. It is derived from the view, so a fold can continue from any snapshot. */
export interface Lookup {
  /** The latest call with an id; some agents reuse ids. */
  readonly calls: Map<string, number>;
  readonly openCalls: Set<number>;
  /** The running shell of a call. Shells without a call share the empty id. */
  readonly shells: Map<string, number>;
  /** Streaming texts, by `spanKey`. */
  readonly messages: Map<string, number>;
  readonly thoughts: Map<string, number>;
  readonly turns: Map<number, number>;
  readonly approvals: Map<string, number>;
  readonly pendingApprovals: Set<number>;
  readonly pendingQuestions: Set<number>;
  readonly filesByArtifact: Map<string, number>;
  readonly filesByEvent: Map<string, number>;
  readonly filesByPath: Map<string, number>;
  /** Announced changes whose patch has not arrived yet, by `intentKey`. */
  readonly intents: Map<string, number>;
  readonly subagents: Map<string, number>;
  readonly plugins: Map<string, number>;
  readonly skills: Map<string, number>;
}

export function lookupOf(view: RunView): Lookup {
  return {
    calls: by(view.tools, (call) => call.id),
    openCalls: all(view.tools, isOpenCall),
    shells: by(view.shells, (shell) => (shell.running ? (shell.toolCallId ?? "") : undefined)),
    messages: by(view.messages, (message) => (message.complete ? undefined : spanKey(message))),
    thoughts: by(view.thoughts, (thought) => (thought.complete ? undefined : spanKey(thought))),
    turns: by(view.turns, (turn) => turn.number),
    approvals: by(view.approvals, (approval) => approval.id),
    pendingApprovals: all(view.approvals, (approval) => approval.status === "pending"),
    pendingQuestions: all(view.questions, (question) => question.status === "pending"),
    filesByArtifact: by(view.files, (file) => file.artifactId),
    filesByEvent: by(view.files, (file) => file.eventId),
    filesByPath: by(view.files, (file) => file.path || undefined),
    intents: by(view.files, (file) => (isIntent(file) ? intentKey(file.toolCallId, file.path) : undefined)),
    subagents: by(view.subagents, (subagent) => subagent.id),
    plugins: by(view.plugins, (plugin) => plugin.id),
    skills: by(view.skills, (skill) => skill.name),
  };
}

export const isOpenCall = ({ state }: Pick<RunView["tools"][number], "state">): boolean =>
  state === "proposed" || state === "waiting" || state === "running";

export const spanKey = ({ turn, block }: { readonly turn: number; readonly block: number }): string =>
  `${turn}:${block}`;

/** Whether a change was announced and is identified only by its call and path. */
export const isIntent = ({ status, artifactId, eventId }: RunView["files"][number]): boolean =>
  status === "proposed" && artifactId === undefined && eventId === undefined;

/** JSON keeps the two parts distinct whatever they contain. */
export const intentKey = (toolCallId: string | undefined, path: string): string =>
  JSON.stringify([toolCallId ?? "", path]);

/** Maps each key to the last index of its items. */
function by<T, Key>(items: readonly T[], keyOf: (item: T) => Key | undefined): Map<Key, number> {
  const map = new Map<Key, number>();
  items.forEach((item, index) => {
    const key = keyOf(item);
    if (key !== undefined) map.set(key, index);
  });
  return map;
}

const all = <T>(items: readonly T[], holds: (item: T) => boolean): Set<number> =>
  new Set(items.flatMap((item, index) => (holds(item) ? [index] : [])));
