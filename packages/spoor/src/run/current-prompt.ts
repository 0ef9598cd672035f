import type { LaunchRequest } from "../agents/machine.ts";

/** What the agent is at: the prompt it was given, what was added since, and whether others came before it. */
export class CurrentPrompt {
  #texts: string[];
  #isDone = false;
  #done = 0;
  readonly #request: LaunchRequest;

  constructor(request: LaunchRequest) {
    this.#request = request;
    this.#texts = [request.prompt];
  }

  add(text: string): void {
    this.#texts = this.#isDone ? [text] : [...this.#texts, text];
    this.#isDone = false;
  }

  finish(): void {
    this.#isDone = true;
    this.#done += 1;
  }

  /**
   * What to ask of a new process to have it done again. The first prompt is given as it was; a later one needs the
   * session that those before it made, and without one it cannot be repeated.
   */
  repeated(sessionId: string | undefined, canResume: boolean): LaunchRequest | undefined {
    const prompt = this.#texts.join("\n\n");
    if (this.#done === 0) return { ...this.#request, prompt };
    if (sessionId === undefined || !canResume || this.#request.noSession) return undefined;
    const { fork: _, attachments: __, ...rest } = this.#request;
    return { ...rest, prompt, resume: sessionId };
  }
}
