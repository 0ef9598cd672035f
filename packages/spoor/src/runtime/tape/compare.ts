import { type Envelope, mappingTable, spanRoleOf } from "@spoor/protocol";

/** The differences between the events of two runs. */
export interface RunChanges {
  /** Types whose events differ, and how many were added, removed or changed. */
  types: { type: string; added: number; removed: number; changed: number }[];
  /** The first difference; absent when there is none. */
  first?: { before?: Envelope; after?: Envelope };
}

/**
 * Compares the events of a renormalized run with those of the original. Times, ids that Spoor made and events that
 * `ignores` selects do not count. Neither does how a text was cut into deltas: in a live run that depends on timing, and
 * on secrets that the tape does not contain.
 */
export function compareRuns(
  before: readonly Envelope[],
  after: readonly Envelope[],
  ignores: (envelope: Envelope) => boolean,
): RunChanges {
  const [old, renewed] = [before, after].map((envelopes) =>
    joined(envelopes.filter((envelope) => !ignores(envelope))).map((envelope) => ({
      envelope,
      content: contentOf(envelope),
    })),
  ) as [Compared[], Compared[]];
  const index = old.findIndex(({ content }, at) => content !== renewed[at]?.content);
  const parts = index === -1 ? Math.min(old.length, renewed.length) : index;
  const [removed, added] = [old[parts]?.envelope, renewed[parts]?.envelope];
  const types = [...new Set([...old, ...renewed].map(({ envelope }) => envelope.type))]
    .map((type) => changesOf(type, ofType(old, type), ofType(renewed, type)))
    .filter(({ added, removed, changed }) => added + removed + changed > 0);
  if (!removed && !added) return { types };
  return { types, first: { ...(removed && { before: removed }), ...(added && { after: added }) } };
}

interface Compared {
  envelope: Envelope;
  /** Returns the compared content of an envelope as text. */
  content: string;
}

/** Types that carry a delta, with the field that holds it. */
const pieces: ReadonlyMap<string, string> = new Map(
  mappingTable
    .filter(({ event }) => spanRoleOf(event)?.role === "delta")
    .map(({ type, fields }) => [type, fields.delta?.rename ?? "delta"]),
);

/** Joins all deltas of a text in the first of them. */
function joined(envelopes: readonly Envelope[]): Envelope[] {
  const texts = new Map<string, { data: Record<string, unknown> }>();
  const whole: Envelope[] = [];
  for (const envelope of envelopes) {
    const field = pieces.get(envelope.type);
    if (field === undefined) {
      whole.push(envelope);
      continue;
    }
    const { [field]: piece, byte_offset: _, ...place } = envelope.data;
    const key = JSON.stringify([envelope.type, place]);
    const text = texts.get(key);
    if (text) text.data[field] = `${text.data[field]}${piece}`;
    else {
      const first = { ...envelope, data: { ...place, [field]: piece } };
      texts.set(key, first);
      whole.push(first);
    }
  }
  return whole;
}

const ofType = (compared: readonly Compared[], type: string): string[] =>
  compared.filter(({ envelope }) => envelope.type === type).map(({ content }) => content);

function changesOf(type: string, before: readonly string[], after: readonly string[]) {
  const shared = Math.min(before.length, after.length);
  const changed = before.slice(0, shared).filter((content, index) => content !== after[index]).length;
  return { type, added: after.length - shared, removed: before.length - shared, changed };
}

/** Times, ids that Spoor made, and amounts that depend on other runs. */
const ignoredFields =
  /_ms$|^(approval_id|interaction_id|child_run_id|parent_run_id|worker_id|task_(budget|cumulative_cost)\w*)$/;

/** What the runtime adds to an approval: its terms, and who answered. No line of the agent says it. */
const ignoredOfApprovals =
  /^(action_hash|cwd|rule|policy_id|policy_reason|expires_at|default_action|resolved_at|by|command_id)$/;

function contentOf({ type, data }: Envelope): string {
  const isApproval = type.startsWith("approval.");
  // The runtime writes an answer with its fields in another order.
  const fields = isApproval ? Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1))) : data;
  return JSON.stringify([type, fields], (name, value) => {
    if (ignoredFields.test(name) || (isApproval && ignoredOfApprovals.test(name))) return undefined;
    return typeof value === "string" && value.startsWith("transient-") ? "transient" : value;
  });
}
