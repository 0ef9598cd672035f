import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { Log } from "../../../log/log.ts";
import type { OfferedKind } from "../../../runtime/queue/executor.ts";
import { type Answer, NOTICE, TRUST } from "../answers/result.ts";

/** What the tools work on. */
export interface McpContext {
  /** Opens the log at the first call, so that a client can start the server before anything is recorded. */
  log(): Promise<Log>;
  /** The data directory. */
  directory: string;
  /** Present if agents may also change something. */
  commands?: { kinds: readonly OfferedKind[] };
}

/** Who sends a command of this server, for the events. */
export const BY = "mcp";

/** What a call gets besides its arguments. */
export interface Call {
  /** Aborts when the client cancels the call or goes away. */
  signal: AbortSignal;
}

/** A tool. Its annotations tell a client whether a call may change something. */
export interface McpTool {
  name: string;
  title: string;
  description: string;
  input: TObject;
  output: TObject;
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
  call(context: McpContext, input: never, call: Call): Promise<Answer>;
}

/** Defines a tool that reads. */
export const readingTool = <Input extends TObject>(
  tool: Omit<McpTool, "annotations" | "call" | "input"> & {
    input: Input;
    call(context: McpContext, input: Static<Input>): Promise<Answer>;
  },
): McpTool => ({
  ...tool,
  // A run may have read web pages, so what is answered comes from an open world.
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
});

/** Defines a tool that changes something. It is offered only if commands are allowed. */
export const commandTool = <Input extends TObject>(
  tool: Omit<McpTool, "annotations" | "call" | "input"> & {
    input: Input;
    call(context: McpContext, input: Static<Input>, call: Call): Promise<Answer>;
  },
): McpTool => ({
  ...tool,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
});

/** The schema of what a tool answers. */
export const answerOf = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object({
    trust: Type.Literal(TRUST, { description: NOTICE }),
    notice: Type.String({ description: "How to read this answer." }),
    untrusted_data_begins: Type.String({ description: "The mark of this answer." }),
    ...fields,
    untrusted_data_ends: Type.String({ description: "The same mark." }),
  });

/** The arguments of a tool. Unknown ones are refused, so that a mistake is not taken for an answer. */
export const argumentsOf = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false });

export const cursorArgument = Type.Optional(
  Type.String({ minLength: 1, description: "`next_cursor` of the page before. Repeat the other arguments." }),
);

export const nextCursor = Type.Union([Type.String(), Type.Null()], {
  description: "Pass it as `cursor` to get the next page; null if this is the last one.",
});

export const limitArgument = (standard: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      description: `At most this many items; ${standard} if absent. Fewer come if the answer is full.`,
    }),
  );

/** One of a closed list of words. */
export const oneOf = <const Word extends string>(words: readonly Word[], description: string) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    { description },
  );

/** How runs are named. */
export const runArgument = Type.String({
  minLength: 1,
  description:
    "The id of the run, a part at its beginning or end that matches only one run, or `last` for the newest run.",
});

/** A record of the log: some fields are named here, and more may come. */
export const recordOf = <Fields extends Record<string, TSchema>>(fields: Fields, description: string) =>
  Type.Object(
    { ...fields, truncated: Type.Optional(Type.Boolean({ description: "Set if the record was shortened." })) },
    { description, additionalProperties: true },
  );
