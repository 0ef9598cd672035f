import type { LaunchRequest } from "../agents/machine.ts";

/** The prompt that the agent works on: its text, what was added since, and how many prompts were done before it. */
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
   * The request with which a new process repeats the prompt. A later prompt needs the session of the prompts before it;
   * without one, it cannot be repeated and the result is undefined.
   */
  repeated(sessionId: string | undefined, canResume: boolean): LaunchRequest | undefined {
    const prompt = this.#texts.join("\n\n");
    if (this.#done === 0) return { ...this.#request, prompt };
    if (sessionId === undefined || !canResume || this.#request.noSession) return undefined;
    const { fork: _, attachments: __, ...rest } = this.#request;
    return { ...rest, prompt, resume: sessionId };
  }
}
