import type { PendingInteraction } from "../../mux/interaction-channel.ts";
import { visible } from "../visible.ts";

/** A question as a person is asked it. */
export function questionText({ type, description, detail }: PendingInteraction): string {
  const what = `\n${visible(description)}\n${detail.split("\n").map(visible).join("\n")}\n`;
  return `${what}${type === "approval" ? "Allow? [y/N] " : "> "}`;
}
