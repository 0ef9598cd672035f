import { type AgentEvent, createDecoder, type Decoder, type Envelope } from "@spoor/protocol";
import { unprefixed } from "@spoor/protocol/ids";
import { isTerminalRunType } from "@spoor/protocol/write";
import { envelopesIn } from "../../log/envelopes.ts";
import { followPieces } from "../../log/feed/follow.ts";
import type { Log, Piece } from "../../log/log.ts";

export interface FollowedRun {
  run_id: string;
  task_id: string;
  /** The position in the log before the run's first event. */
  after: number;
  /** Ends the iteration although the run is not over. */
  signal: AbortSignal;
}

/** Events of a run or of one of its subagents, as they are stored. */
export interface FollowedPiece {
  piece: Piece;
  events: AgentEvent[];
  /** The last event of the run itself. */
  end?: Envelope;
}

/** Follows a run and its subagents to the end of the run, whichever process performs it. */
export async function* followRun(log: Log, followed: FollowedRun): AsyncGenerator<FollowedPiece> {
  const { run_id, task_id, after, signal } = followed;
  const ended = new AbortController();
  const decoders = new Map<string, Decoder | undefined>();
  for await (const piece of followPieces(log, { task_id, after, signal: AbortSignal.any([ended.signal, signal]) })) {
    if (!decoders.has(piece.run_id)) decoders.set(piece.run_id, await decoderOf(piece.run_id));
    const decoder = decoders.get(piece.run_id);
    if (!decoder) continue;
    const envelopes = envelopesIn(piece);
    const end = piece.run_id === run_id ? envelopes.find(({ type }) => isTerminalRunType(type)) : undefined;
    const events = envelopes.flatMap((envelope) => decoder.decode(envelope) ?? gateEvent(envelope) ?? []);
    yield { piece, events, ...(end && { end }) };
    if (end) ended.abort();
  }

  /** Other runs of the same task are not followed. */
  async function decoderOf(id: string): Promise<Decoder | undefined> {
    const run = await log.run(id);
    const isPart = id === run_id || decoders.get(run?.parent_run_id ?? "") !== undefined;
    return isPart ? createDecoder({ agent: run?.agent ?? "loop" }) : undefined;
  }
}

/** An approval before the run starts belongs to no session, so no event of an agent tells of it. A person is asked all the same. */
function gateEvent({ run_id, type, occurred_at, data }: Envelope): AgentEvent | undefined {
  const base = { runId: unprefixed("run", run_id), agent: "loop", timestamp: Date.parse(occurred_at) };
  const interactionId = String(data.approval_id);
  if (type === "approval.requested") {
    // The detail shows everything of the input that people read.
    const { summary = "Start the run", detail = "" } = data;
    const asked = { action: String(summary), detail: String(detail), riskLevel: "medium" };
    return { ...base, type: "approval_request", interactionId, ...asked } as AgentEvent;
  }
  if (type === "approval.resolved" || type === "approval.timed_out") {
    const isGranted = data.decision === "approved";
    return { ...base, type: isGranted ? "approval_granted" : "approval_denied", interactionId } as AgentEvent;
  }
  return undefined;
}
