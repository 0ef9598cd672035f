import { canonical } from "../envelope/aliases.ts";
import { envelopeDefinition } from "../envelope/catalog.ts";
import { Envelope } from "../envelope/envelope.ts";
import { isTerminalRunType } from "../envelope/terminal.ts";
import { createDecoder, isGap, namesAgent } from "../mapping/decode.ts";
import { problems, unknownFields, validator } from "../validate.ts";
import { type Checker, createEventChecker } from "./check-events.ts";
import { isDomainEvent } from "./control-rules.ts";
import { createReport, type Finding } from "./finding.ts";

/**
 * Checks the envelopes of one run, one at a time: the rules for envelopes and, for a run that names its agent, the
 * ordering contract of the AgentEvents that they encode.
 */
export function createEnvelopeChecker(): Checker<unknown> {
  const report = createReport(false);
  const decoder = createDecoder();
  let events: Checker<unknown> | undefined;
  let first: Envelope | undefined;
  let previous: Envelope | undefined;
  let greatestId = "";
  let terminal: string | undefined;
  let hadLoss = false;
  /** Whether the run has started. A run that ended before has no session, so none is asked of it. */
  let hasStarted = false;
  /** Calls by id, with the event that started or ended them last. */
  const calls = new Map<string, string>();

  function add(item: unknown): Finding[] {
    report.index += 1;
    const envelope = checkShape(item);
    if (!envelope) return report.take();
    checkIdentity(envelope);
    checkSequence(envelope);
    checkRun(envelope);
    checkCall(envelope);
    if (checkPayload(envelope)) checkEvents(envelope);
    previous = envelope;
    return report.take();
  }

  function checkIdentity(envelope: Envelope): void {
    first ??= envelope;
    if (envelope.run_id !== first.run_id) {
      report.violation("envelope.run", `An event of ${envelope.run_id} is in the stream of ${first.run_id}.`);
    }
    for (const name of ["task_id", "session_id"] as const) {
      if (envelope[name] !== first[name]) report.violation("envelope.context", `${name} changes within the run.`);
    }
    if (isGap(envelope)) return;
    if (envelope.event_id <= greatestId) {
      report.violation("envelope.event_id", `${envelope.event_id} does not come after ${greatestId}.`);
    } else greatestId = envelope.event_id;
  }

  function checkSequence(envelope: Envelope): void {
    const expected = previous ? previous.sequence + 1 : 0;
    const range = gapRange(envelope);
    if (range) {
      if (range.last !== envelope.sequence || range.first !== expected) {
        report.violation(
          "gap.range",
          `${envelope.type} at ${envelope.sequence} covers ${range.first} to ${range.last}, but must begin at ${expected} and end at its own sequence.`,
        );
      }
    } else if (envelope.sequence !== expected) {
      const rule = previous ? "envelope.sequence" : "envelope.first";
      report.violation(rule, `sequence is ${envelope.sequence}, but must be ${expected}.`);
    }
  }

  function checkRun({ type, data }: Envelope): void {
    if (type === "run.resumed_from_event" && previous && previous.type !== "run.created" && !isGap(previous)) {
      report.violation("run.resumed", `run.resumed_from_event comes after ${previous.type}.`);
    }
    if (isTerminalRunType(type)) {
      if (terminal !== undefined) report.violation("run.end_once", `${type} comes after ${terminal}.`);
      terminal ??= type;
    } else if (terminal !== undefined && !allowedAfterEnd(type, data)) {
      report.violation("run.after_end", `${type} comes after ${terminal}.`);
    }
  }

  function checkCall({ type, data }: Envelope): void {
    // Nearly all events of a run are deltas, which this leaves out without a look-up.
    if (type.endsWith("_delta") || !framesCall.has(type)) return;
    const { tool_call_id: id } = data;
    if (typeof id !== "string") return;
    const before = calls.get(id);
    if (type === "tool.started" && before !== undefined) {
      report.violation("call.started", `tool.started of the call ${JSON.stringify(id)} comes after its ${before}.`);
    }
    calls.set(id, type);
  }

  /** Only a run that names its agent must keep the AgentEvent contract; foreign runs need not. */
  function checkEvents(envelope: Envelope): void {
    // The missing events may have opened or closed spans, so the checker starts again.
    if (isGap(envelope) && (events || namesAgent(envelope))) events = createEventChecker({ joined: true });
    else if (namesAgent(envelope)) events ??= createEventChecker();
    if (envelope.type === "gap.events_lost") hadLoss = true;
    if (envelope.type === "run.started") hasStarted = true;
    const event = decoder.decode(envelope);
    if (!event || !events) return;
    if (!hasStarted) hasStarted = isDomainEvent(event);
    pass(events.add(event));
  }

  function pass(findings: Finding[]): void {
    for (const finding of findings) {
      if (finding.kind === "violation") report.violation(finding.rule, finding.message);
    }
  }

  function checkShape(item: unknown): Envelope | undefined {
    if (isEnvelope(item)) return canonical(item as Envelope);
    for (const { path, message } of problems(Envelope, item)) {
      report.violation("envelope.shape", `${path === "" ? "The envelope" : path.slice(1)}: ${message}.`);
    }
    return undefined;
  }

  function checkPayload({ type, data }: Envelope): boolean {
    const definition = envelopeDefinition(type);
    if (!definition) {
      report.note(`The type ${JSON.stringify(type)} is unknown.`);
      return false;
    }
    if (!payloadCheck(type)(data)) {
      for (const { path, message } of problems(definition.data, data)) {
        report.violation("envelope.payload", `${type} data${path}: ${message}.`);
      }
      return false;
    }
    const unknown = type === "external.event" ? [] : unknownFields(definition.data, data);
    if (unknown.length > 0) report.note(`${type} has fields that are not known: ${unknown.join(", ")}.`);
    return true;
  }

  return {
    add,
    end() {
      report.index += 1;
      if (terminal === undefined && hadLoss) report.note("The terminal run event may be among the lost events.");
      else if (terminal === undefined) report.violation("run.end", "The stream ends without a terminal run event.");
      if (events && hasStarted) pass(events.end());
      return report.take();
    },
  };
}

const isEnvelope = validator(Envelope);

const payloadChecks = new Map<string, (value: unknown) => boolean>();

function payloadCheck(type: string): (value: unknown) => boolean {
  const known = payloadChecks.get(type);
  if (known) return known;
  const check = validator(envelopeDefinition(type)?.data as Parameters<typeof validator>[0]);
  payloadChecks.set(type, check);
  return check;
}

function gapRange({ type, data }: Envelope): { first: unknown; last: unknown } | undefined {
  if (type === "gap.events_pruned") return { first: data.first_pruned_sequence, last: data.last_pruned_sequence };
  if (type === "gap.events_lost") return { first: data.first_lost_sequence, last: data.last_lost_sequence };
  return undefined;
}

/** The types that start or end a call. */
const framesCall: ReadonlySet<string> = new Set([
  "tool.started",
  "tool.completed",
  "tool.failed",
  "tool.cancelled",
  "tool.timed_out",
  "policy.tool_blocked",
]);

const lateTypes =
  /^(tool\.(file|edit|multi_edit|file_write)\.(applied|reverted)|artifact\..*|gap\..*|debug\..*|task\.updated|external\.event|policy\.git_settings_changed)$/;

/** Types that are not in the catalog belong to callers. */
const allowedAfterEnd = (type: string, data: Envelope["data"]): boolean =>
  lateTypes.test(type) ||
  envelopeDefinition(type) === undefined ||
  (type === "approval.resolved" && data.decision === "cancelled");
