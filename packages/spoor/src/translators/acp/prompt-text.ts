import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";

/** A prompt holds something that cannot be passed on. */
export class PromptError extends Error {
  override readonly name = "PromptError";
}

/**
 * The prompt as text, which every agent takes: links by their address, embedded files with their text.
 *
 * @throws {PromptError} if it is empty, too long, or holds what no text can say.
 */
export function promptText(blocks: readonly ContentBlock[]): string {
  const text = blocks.map(textOf).join("");
  if (text.trim() === "") throw new PromptError("The prompt is empty. Send at least one block of text.");
  if (text.length <= MAX_PROMPT_LENGTH) return text;
  const size = `The prompt has ${text.length} characters, and at most ${MAX_PROMPT_LENGTH} are taken.`;
  throw new PromptError(`${size} Send a link to the file instead, so that the agent reads it itself.`);
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return ` [${block.title ?? block.name}](${addressOf(block.uri)}) `;
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return `\n\n<file path="${addressOf(resource.uri)}">\n${resource.text}\n</file>\n\n`;
      throw new PromptError(`The file ${resource.uri} is not text. Send a link to it instead of its content.`);
    }
    default:
      throw new PromptError(
        `A prompt of Spoor holds text and files, and no ${block.type}. Send the path of the file as text instead.`,
      );
  }
}

/** Agents know paths better than addresses. */
function addressOf(uri: string): string {
  try {
    return uri.startsWith("file://") ? fileURLToPath(uri.replace(/#.*$/, "")) + (/#.*$/.exec(uri)?.[0] ?? "") : uri;
  } catch {
    return uri;
  }
}

/** Prompts are stored in the log, and no model reads more. */
const MAX_PROMPT_LENGTH = 2_000_000;
