import type { createEnvelopeWriter } from "@spoor/protocol/write";
import { digitCount, writeDigits } from "../digits.ts";
import type { LogDraft } from "../log.ts";
import { linkOf } from "./chain.ts";

export type EnvelopeWriter = ReturnType<typeof createEnvelopeWriter>;

/** Characters of what stands before the data, and of the data; each of them takes three bytes at most. */
const LONGEST = 4 * 1024;
const LINK_BYTES = 64;
const MEMORY = LINK_BYTES + 2 * 3 * LONGEST + 2;
/** Most envelopes are shorter: what is hashed of them is looked at through the same objects again and again. */
const VIEWS = 2 * 1024;
const NEWLINE = 10;
const BRACE = 125;
const SEQUENCE = '"sequence":';

/**
 * One envelope after another as bytes, each behind the link of the hash chain that it follows. The bytes are those that the
 * run's writer gives. Of most envelopes in a row only the id, the sequence and the data differ: the rest stays where it is.
 */
export class EnvelopeDraft {
  readonly #memory = Buffer.allocUnsafeSlow(MEMORY);
  readonly #views: Buffer[] = [];
  /** What stands before the data is of these. */
  #writer: EnvelopeWriter | undefined;
  #timestamp = 0;
  #type = "";
  #digits = 0;
  #idAt = 0;
  #sequenceAt = 0;
  #dataAt = 0;
  #end = 0;

  /** Ids are of one length. False when it does not fit; nothing can be asked of it then. */
  hold(writer: EnvelopeWriter, { type, timestamp, json }: LogDraft, id: string, sequence: number): boolean {
    if (json.length > LONGEST) return false;
    const digits = digitCount(sequence);
    const isSame = writer === this.#writer && timestamp === this.#timestamp && type === this.#type;
    if (isSame && digits === this.#digits) {
      this.#memory.write(id, this.#idAt, "latin1");
      writeDigits(this.#memory, sequence, digits, this.#sequenceAt);
    } else {
      const before = writer({ type, timestamp, json: "" }, id, sequence).slice(0, -1);
      if (before.length > LONGEST) return false;
      this.#idAt = LINK_BYTES + before.indexOf(id);
      this.#dataAt = LINK_BYTES + this.#memory.write(before, LINK_BYTES);
      // A quote within an id would be escaped: this is the name.
      this.#sequenceAt = this.#memory.indexOf(SEQUENCE, LINK_BYTES) + SEQUENCE.length;
      this.#writer = writer;
      this.#timestamp = timestamp;
      this.#type = type;
      this.#digits = digits;
    }
    this.#end = this.#dataAt + this.#memory.write(json, this.#dataAt);
    this.#memory[this.#end++] = BRACE;
    this.#memory[this.#end] = NEWLINE;
    return true;
  }

  /** The link after it, when it follows this one. */
  linkAfter(link: string): string {
    this.#memory.write(link, 0, "latin1");
    const end = this.#end;
    if (end >= VIEWS) return linkOf(this.#memory.subarray(0, end));
    this.#views[end] ??= this.#memory.subarray(0, end);
    return linkOf(this.#views[end]);
  }

  /** Of the line, with its newline. */
  get bytes(): number {
    return this.#end + 1 - LINK_BYTES;
  }

  copyTo(target: Buffer, offset: number): number {
    return this.#memory.copy(target, offset, LINK_BYTES, this.#end + 1);
  }
}
