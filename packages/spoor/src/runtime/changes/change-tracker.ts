import type { AgentEvent, AgentEventOf, ToolKind } from "@spoor/protocol";
import type { FileChange, SnapshotKind, Snapshots } from "../workspace/snapshot.ts";
import { type Attribution, Writers } from "./attribute.ts";
import { beforeOf, changeOf } from "./file-states.ts";
import type { FoundChange, FoundChanges } from "./found-changes.ts";
import { isCallEnd, namedFiles, type Reach, reaches } from "./looked-at.ts";
import { type FileState, isSame, NamedFiles } from "./named-files.ts";
import { SnapshotLine } from "./snapshot-line.ts";

export interface TrackerOptions {
  /** The workspace: an absolute, real path. */
  folder: string;
  kind: SnapshotKind;
  /** Opens what takes the snapshots. Absent: only files that calls name are looked at. */
  open?: ((signal: AbortSignal) => Promise<Snapshots>) | undefined;
  /** Folders whose files are never looked at. */
  except: readonly string[];
  /** Whether every call waits for `beforeCall`, so that one runs at a time. Otherwise a call may run once it is ready. */
  callsWait?: boolean;
  now?: () => number;
}

interface Call {
  key: string;
  toolCallId: string;
  toolName: string;
  kind: ToolKind;
  reach: Reach;
  isReady: boolean;
  isDenied: boolean;
  /** Whether the call waited for `beforeCall`. */
  hasBegun: boolean;
  /** The files that it names, relative to the workspace. */
  files: string[];
  /** Whether the agent waited for permission when `direct` was read. */
  isHeld: boolean;
  /** What they were when the call was reported, or while the agent waited for permission. */
  direct: Promise<ReadonlyMap<string, FileState>> | undefined;
}

/** A snapshot that is younger than this also counts as the state before the next call. */
const YOUNG_MS = 1_000;

/**
 * Finds out which files the calls of an agent process change. An agent that does not ask cannot be made to wait, so the state
 * after the last call counts as the state before the next one, unless a snapshot could be taken while the input of that call
 * was still streaming, or while the agent waited for permission. What differs by then was changed by somebody else.
 */
export class ChangeTracker {
  readonly kind: SnapshotKind;
  readonly #line: SnapshotLine;
  readonly #named: NamedFiles;
  readonly #writers = new Writers();
  readonly #callsWait: boolean;
  /** Calls that have not ended. */
  readonly #calls = new Map<string, Call>();
  /** What files are according to the events so far, where that differs from the last snapshot. */
  readonly #told = new Map<string, FileState>();
  /** Changes by others, which are written with the next call. */
  readonly #outside: FoundChange[] = [];
  /** The call of each question. */
  readonly #questions = new Map<string, string>();
  /** Whether there was a call that may have left something running. */
  #mayHaveWritten = false;

  constructor({ folder, kind, open, except, callsWait = false, now }: TrackerOptions) {
    this.kind = kind;
    this.#callsWait = callsWait;
    this.#line = new SnapshotLine(open, now);
    this.#named = new NamedFiles(folder, except);
  }

  /** A path as the events name it: relative to the workspace. Undefined if it lies outside. */
  pathOf(name: string): string | undefined {
    return this.#named.inside([name])[0];
  }

  /** Takes the first snapshot in the background. Calls that write wait for it at their end. */
  start(): void {
    void this.#line.advance();
  }

  /**
   * Looks at the next event before it is written. If it returns a promise, the stream waits for that. `toldFiles` returns the
   * files that the agent itself says this call changed, as far as those events have arrived.
   */
  look(event: AgentEvent, toldFiles: () => readonly string[]): Promise<FoundChanges | undefined> | undefined {
    if (event.type === "tool_call_start") this.#announce(event);
    else if (event.type === "tool_call_ready" || event.type === "mcp_tool_call_start") this.#begin(event);
    else if (event.type === "approval_request") return this.#hold(event);
    else if (event.type === "approval_denied") this.#deny(event);
    else if (isCallEnd(event)) return this.#end(keyOf(event.runId, event.toolCallId), toldFiles);
    return undefined;
  }

  /** A call that waits for this begins when it resolves, so that what others changed before is known. */
  async beforeCall(runId: string, toolCallId: string): Promise<void> {
    const call = this.#calls.get(keyOf(runId, toolCallId));
    if (!call) return;
    await this.#lookFirst(call);
    call.hasBegun = true;
    if (call.reach === "tree") this.#enter(call);
  }

  /** What changed since the last call: by a call that never ended, or by others. Call this once, at the end. */
  async rest(): Promise<FoundChanges | undefined> {
    const changes = this.#mayHaveWritten ? await this.#line.advance() : undefined;
    return this.#found(changes ? await this.#attributed(changes, this.#writers.settle()) : []);
  }

  /** Resolves when no snapshot is being taken. */
  idle(): Promise<void> {
    return this.#line.idle();
  }

  /** Call this when the run is over: snapshots that still run get a few seconds. */
  hurry(): void {
    this.#line.hurry();
  }

  /** Ends everything that still runs. */
  close(): Promise<void> {
    return this.#line.close();
  }

  /** The input of a call begins to stream: nothing runs yet. */
  #announce({ runId, toolCallId, toolName, toolKind = "other" }: AgentEventOf<"tool_call_start">): void {
    const key = keyOf(runId, toolCallId);
    const call = newCall(key, toolCallId, toolName, toolKind);
    this.#calls.set(key, call);
    if (call.reach !== "tree" || this.#writers.isAnyOpen || this.#line.age < YOUNG_MS) return;
    // Its result counts only if the input is still streaming when the snapshot is done.
    const isEarly = () => !call.isReady && this.#calls.get(key) === call && !this.#writers.isAnyOpen;
    void this.#lookOutside(isEarly);
  }

  /** A call may run from now on. */
  #begin(event: AgentEventOf<"tool_call_ready" | "mcp_tool_call_start">): void {
    const { runId, toolCallId, toolName, input } = event;
    const key = keyOf(runId, toolCallId);
    const known = this.#calls.get(key);
    const kind = event.type === "mcp_tool_call_start" ? "mcp" : (event.toolKind ?? known?.kind ?? "other");
    const call = { ...newCall(key, toolCallId, toolName, kind), isReady: true };
    if (known) known.isReady = true;
    this.#calls.set(key, call);
    if (call.reach === "named") {
      const names = namedFiles(input);
      call.files = this.#named.inside(names);
      // A writer that names no file may change any.
      if (names.length === 0) call.reach = "tree";
      else call.direct = this.#named.readAll(call.files);
    }
    if (call.reach === "tree" && !this.#callsWait) this.#enter(call);
  }

  #enter({ key, toolCallId, kind }: Call): void {
    this.#mayHaveWritten = true;
    this.#writers.begin({ key, toolCallId, isContainer: kind === "subagent" });
  }

  /** The agent waits for permission, so there is time to look at the files first. */
  #hold({ runId, toolCallId, interactionId }: AgentEventOf<"approval_request">): Promise<undefined> | undefined {
    const call = toolCallId === undefined ? undefined : this.#calls.get(keyOf(runId, toolCallId));
    if (!call) return undefined;
    this.#questions.set(keyOf(runId, interactionId), call.key);
    return this.#lookFirst(call);
  }

  /** Looks at the files that a call may change, before it runs. */
  #lookFirst(call: Call): Promise<undefined> | undefined {
    if (call.reach === "named") {
      call.direct = this.#named.readAll(call.files);
      call.isHeld = true;
      return Promise.all([call.direct, this.#line.idle()]).then(() => undefined);
    }
    if (call.reach !== "tree" || this.#writers.isAnyOtherOpen(call.key)) return undefined;
    return this.#lookOutside().then(() => undefined);
  }

  /** A refused call does not run. */
  #deny({ runId, interactionId }: AgentEventOf<"approval_denied">): void {
    const call = this.#calls.get(this.#questions.get(keyOf(runId, interactionId)) ?? "");
    if (call) call.isDenied = true;
  }

  #end(key: string, toldFiles: () => readonly string[]): Promise<FoundChanges | undefined> | undefined {
    const call = this.#calls.get(key);
    this.#calls.delete(key);
    if (!call?.isReady || call.reach === "none" || (this.#callsWait && !call.hasBegun)) return undefined;
    this.#writers.end(key, call.isDenied);
    if (call.isDenied) return undefined;
    const found = call.reach === "tree" ? this.#afterTree(call) : this.#afterNamed(call, toldFiles);
    return found.then((changes) => this.#found(changes, call));
  }

  async #afterTree({ key }: Call): Promise<FoundChange[]> {
    const changes = await this.#line.advance();
    return changes ? this.#attributed(changes, this.#writers.settle(key)) : [];
  }

  async #afterNamed(call: Call, toldFiles: () => readonly string[]): Promise<FoundChange[]> {
    const direct = await call.direct;
    const found: FoundChange[] = [];
    for (const file of new Set([...call.files, ...this.#named.inside(toldFiles())])) {
      const after = await this.#named.read(file);
      if (after === undefined) continue;
      const known = this.#told.get(file) ?? (await this.#line.read(file));
      const before = beforeOf(known, direct?.get(file), after, call.isHeld);
      this.#told.set(file, after);
      if (call.isHeld && known !== "unknown" && before && !isSame(known, before)) {
        this.#outside.push({ ...changeOf(file, known, before), attribution: "outside", tool_call_ids: [] });
      }
      if (before === undefined || isSame(before, after)) continue;
      found.push({ ...changeOf(file, before, after), attribution: "call", tool_call_ids: [call.toolCallId] });
    }
    return found;
  }

  async #lookOutside(isWanted?: () => boolean): Promise<void> {
    const changes = await this.#line.advance(isWanted);
    if (!changes) return;
    this.#outside.push(...(await this.#attributed(changes, { attribution: "outside", tool_call_ids: [] })));
  }

  /**
   * The changes since the last snapshot, without those that were told already. A file that an open call names belongs to that
   * call: it keeps its old state until that call ends.
   */
  async #attributed(changes: readonly FileChange[], attribution: Attribution): Promise<FoundChange[]> {
    const named = new Set([...this.#calls.values()].flatMap(({ files }) => files));
    const found: FoundChange[] = [];
    const seen = new Set<string>();
    const hasNewRules = changes.some(({ path: file }) => /(^|\/)\.gitignore$/.test(file));
    if (hasNewRules) this.#line.notes.push(NEW_RULES);
    for (const change of changes) {
      const { path: file } = change;
      seen.add(file);
      // A file that was ignored until now is not new, and a revert must not delete it.
      const isNew = !change.before && !this.#told.has(file);
      if (hasNewRules && isNew && (await this.#named.isOlder(file, this.#line.comparedSince))) continue;
      const before = this.#told.get(file) ?? change.before ?? "absent";
      const after = change.after ?? "absent";
      if (named.has(file)) {
        this.#told.set(file, before);
        continue;
      }
      this.#told.delete(file);
      if (!isSame(before, after)) found.push({ ...changeOf(file, before, after, change.isFinal), ...attribution });
    }
    for (const [file, before] of [...this.#told]) {
      if (seen.has(file) || named.has(file)) continue;
      const after = await this.#line.read(file);
      // Snapshots do not see ignored files, so what was told of them stays.
      if (after === "unknown") continue;
      this.#told.delete(file);
      if (!isSame(before, after)) found.push({ ...changeOf(file, before, after), ...attribution });
    }
    return found;
  }

  #found(changes: FoundChange[], call?: Call): FoundChanges | undefined {
    const all = [...this.#outside.splice(0), ...changes];
    const notes = this.#line.notes.splice(0);
    if (all.length === 0 && notes.length === 0) return undefined;
    const { toolCallId = "", toolName = "", kind } = call ?? {};
    return { changes: all, notes, ...(call && { call: { toolCallId, toolName, isMulti: kind === "multi_edit" } }) };
  }
}

const NEW_RULES =
  "The rules about ignored files changed. Files that were ignored until now are seen from now on; they do not count as new.";

const keyOf = (runId: string, toolCallId: string): string => `${runId} ${toolCallId}`;

const newCall = (key: string, toolCallId: string, toolName: string, kind: ToolKind): Call => ({
  ...{
    key,
    toolCallId,
    toolName,
    kind,
    reach: reaches[kind],
    isReady: false,
    isDenied: false,
    hasBegun: false,
    isHeld: false,
    files: [],
  },
  direct: undefined,
});
