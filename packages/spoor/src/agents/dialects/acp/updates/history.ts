import { asObject, asText, type Json } from "../../../json-machine.ts";
import { Scope } from "./scope.ts";

/** Counts the turns of a session that the agent replays when it is loaded; what they held is not told again. */
export class History {
  turns = 0;
  #scope = new Scope(() => undefined);

  read(update: Json): void {
    const id = asText(update.toolCallId) ?? "";
    const text = asText(asObject(update.content)?.text);
    switch (update.sessionUpdate) {
      case "user_message_chunk":
        this.#scope.prompted();
        break;
      case "agent_message_chunk":
      case "agent_thought_chunk":
        if (text) this.#count(this.#scope.speak("text", text, asText(update.messageId)));
        break;
      case "tool_call":
        this.#count(this.#scope.toolBegins(id));
    }
    if (update.status === "completed" || update.status === "failed") this.#scope.toolEnds(id);
  }

  #count(signals: readonly { kind: string }[]): void {
    this.turns += signals.filter(({ kind }) => kind === "call").length;
  }
}
