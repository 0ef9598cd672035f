import { once } from "node:events";
import type { Writable } from "node:stream";

/** Writes text. Waits while the reader is slow (backpressure). */
export async function write(output: Writable, text: string | Uint8Array): Promise<void> {
  if (!output.write(text)) await once(output, "drain");
}
