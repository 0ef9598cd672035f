import type { Row } from "./row.ts";
import { callRows } from "./rows-calls.ts";
import { conversationRows } from "./rows-conversation.ts";
import { effectRows } from "./rows-effects.ts";
import { runRows } from "./rows-run.ts";

export type { Row };

/**
 * How each AgentEvent is stored as an envelope. The encoder takes the first row of the event's type whose `when` matches;
 * the decoder takes the first row of the envelope's type whose `marks` match, so a more specific row comes first.
 */
export const mappingTable: readonly Row[] = [...conversationRows, ...callRows, ...effectRows, ...runRows];
