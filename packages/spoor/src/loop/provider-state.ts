import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Effect, Rows } from "../log/effects.ts";
import { readBlob, storeBlob } from "../runtime/artifacts/store.ts";

/**
 * One part of what the model said. Texts and inputs of calls stand in the events, with secrets replaced; thoughts and what
 * the provider wants back unread stand only here.
 */
export type StatePart = { providerOptions?: SharedV4ProviderOptions } & (
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool-call"; id: string }
  | { type: "custom"; kind: `${string}.${string}` }
);

/** A state that is stored: its hash, and what to put into the commit that names it. */
export interface StoredState {
  sha256: string;
  effects: readonly Effect[];
}

/**
 * Stores what the provider needs back unchanged. Undefined if it needs nothing beside what the events hold. The content is
 * encrypted, because it is not redacted.
 */
export async function storeState(directory: string, parts: readonly StatePart[]): Promise<StoredState | undefined> {
  const isPlain = parts.every(
    ({ type, providerOptions }) => (type === "text" || type === "tool-call") && providerOptions === undefined,
  );
  if (isPlain) return undefined;
  // The text of a message is that of its event.
  const kept = parts
    .filter((part) => part.type !== "text" || part.text !== "")
    .map((part) => (part.type === "text" ? { ...part, text: "" } : part));
  const { sha256, effects } = await storeBlob(directory, Buffer.from(JSON.stringify({ parts: kept })), {
    secret: true,
  });
  return { sha256, effects };
}

/** @throws {ArtifactError} if the content is gone or damaged. */
export async function readState(log: { rows: Rows }, directory: string, sha256: string): Promise<StatePart[]> {
  const { parts } = JSON.parse((await readBlob(log, directory, sha256)).toString()) as { parts: StatePart[] };
  return parts;
}
