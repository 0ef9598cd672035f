import type { Envelope } from "@spoor/protocol";

export interface RunChanges {
  /** Types whose events differ, with how many came, went, or say something else. */
  types: { type: string; added: number; removed: number; changed: number }[];
  /** Where the two runs part; absent when they do not. */
  first?: { before?: Envelope; after?: Envelope };
}

/**
 * How the events of a run that was read again differ from those it had. Times, ids of our own and events that `ignores`
 * names do not count, nor does how a text was cut into pieces: live, that depends on when output came and on secrets
 * that a tape does not hold.
 */
export function compareRuns(
  before: readonly Envelope[],
  after: readonly Envelope[],
  ignores: (envelope: Envelope) => boolean,
): RunChanges {
  const [old, young] = [before, after].map((envelopes) =>
    joined(envelopes.filter((envelope) => !ignores(envelope))).map((envelope) => ({
      envelope,
      said: saidBy(envelope),
    })),
  ) as [Said[], Said[]];
  const index = old.findIndex(({ said }, at) => said !== young[at]?.said);
  const parts = index === -1 ? Math.min(old.length, young.length) : index;
  const [gone, come] = [old[parts]?.envelope, young[parts]?.envelope];
  const types = [...new Set([...old, ...young].map(({ envelope }) => envelope.type))]
    .map((type) => changesOf(type, ofType(old, type), ofType(young, type)))
    .filter(({ added, removed, changed }) => added + removed + changed > 0);
  if (!gone && !come) return { types };
  return { types, first: { ...(gone && { before: gone }), ...(come && { after: come }) } };
}

interface Said {
  envelope: Envelope;
  said: string;
}

/** Types that carry a piece of a text, with the field that holds it. */
const pieces: Readonly<Record<string, string>> = {
  "assistant.text_delta": "delta",
  "assistant.thinking_delta": "delta",
  "assistant.tool_call_input_delta": "delta",
  "tool.shell.output_chunk": "data",
};

/** The envelopes with all pieces of one text in the place of its first piece. */
function joined(envelopes: readonly Envelope[]): Envelope[] {
  const texts = new Map<string, { data: Record<string, unknown> }>();
  const whole: Envelope[] = [];
  for (const envelope of envelopes) {
    const field = pieces[envelope.type];
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

const ofType = (said: readonly Said[], type: string): string[] =>
  said.filter(({ envelope }) => envelope.type === type).map((each) => each.said);

function changesOf(type: string, before: readonly string[], after: readonly string[]) {
  const shared = Math.min(before.length, after.length);
  const changed = before.slice(0, shared).filter((said, index) => said !== after[index]).length;
  return { type, added: after.length - shared, removed: before.length - shared, changed };
}

const ours = /_ms$|^(approval_id|interaction_id|child_run_id|parent_run_id|worker_id)$/;

function saidBy({ type, data }: Envelope): string {
  return JSON.stringify([type, data], (name, value) => {
    if (ours.test(name)) return undefined;
    return typeof value === "string" && value.startsWith("transient-") ? "transient" : value;
  });
}
