import type { Envelope } from "@spoor/protocol";

/** A language other than our own in which the events of a run can be streamed. */
export interface StreamLanguage {
  /** The value of `?as=`. */
  readonly name: string;
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The data of a last frame, for languages whose streams have an end mark. */
  readonly endMark?: string;
  /** Creates a translator for one run. Called once per stream; loads what it needs only then. */
  open(): Promise<StreamTranslator>;
}

/** Turns envelopes, given in order from the first one, into messages. */
export interface StreamTranslator {
  translate(envelope: Envelope): readonly object[];
  /** What must follow if the stream ends here although the run goes on. */
  cut(): readonly object[];
  /** What a stream that begins after the last envelope begins with. Absent: streams of this language begin with the run. */
  reopen?(): readonly object[];
}
