import type { Stage } from "./stage.ts";

/** Messages and thoughts of a simulated turn, one span at a time. */
export class SimulatedSpeech {
  readonly #stage: Stage;
  #text: string | undefined;
  #thought: string | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get actions(): (() => void)[] {
    if (this.#text !== undefined) return [() => this.#say(), () => this.#say(), () => this.#endMessage()];
    if (this.#thought !== undefined) return [() => this.#think(), () => this.#endThought()];
    return [() => this.#startMessage(), () => this.#startThought()];
  }

  finish(): void {
    if (this.#text !== undefined) this.#endMessage();
    if (this.#thought !== undefined) this.#endThought();
  }

  #startMessage(): void {
    this.#stage.emit("message_start", {});
    this.#text = "";
    this.#say();
  }

  #say(): void {
    const delta = this.#stage.word();
    this.#text += delta;
    this.#stage.emit("text_delta", { delta, accumulated: this.#text as string });
  }

  #endMessage(): void {
    this.#stage.emit("message_stop", { text: this.#text as string });
    this.#text = undefined;
  }

  #startThought(): void {
    this.#stage.emit("thinking_start", this.#stage.maybe("effort", "high"));
    this.#thought = "";
    this.#think();
  }

  #think(): void {
    const delta = this.#stage.word();
    this.#thought += delta;
    this.#stage.emit("thinking_delta", { delta, accumulated: this.#thought as string });
  }

  #endThought(): void {
    this.#stage.emit("thinking_stop", { thinking: this.#thought as string });
    this.#thought = undefined;
  }
}
