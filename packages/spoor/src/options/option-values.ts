import type { AgentEventOf } from "@spoor/protocol";

/** A file, an address, or the bytes themselves. `mimeType` is detected for a file; bytes need it. */
export type AttachmentOption = { mimeType?: string; name?: string } & (
  | { filePath: string }
  | { url: string }
  | { base64: string; mimeType: string }
);

/** The answer to an approval request: allow or deny the action. `reason` is passed on to the agent. */
export type ApprovalAnswer = boolean | "approve" | "deny" | { approve: true } | { deny: true; reason?: string };

/** Decides whether the agent may do what it asks for. */
export type ApprovalCallback = (request: AgentEventOf<"approval_request">) => ApprovalAnswer | Promise<ApprovalAnswer>;

/** Answers a question of the agent. */
export type InputCallback = (request: AgentEventOf<"input_required">) => string | Promise<string>;
