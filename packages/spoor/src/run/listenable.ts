import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import type { EventHub } from "./event-hub.ts";

/** The type of event that a listener for `T` receives. */
export type EventFor<T> = T extends AgentEventTypeLiteral ? AgentEventOf<T> : AgentEvent;

/** A source of events that callers can iterate and listen to, also both at once. */
export abstract class Listenable implements AsyncIterable<AgentEvent> {
  protected abstract readonly hub: EventHub;

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    return this.hub.iterate();
  }

  /**
   * Calls the listener for every event of a type, or for every event (`"*"`), from now on. An error that it throws does not
   * harm the run: a `debug` event reports it.
   */
  on<T extends AgentEventTypeLiteral | "*">(type: T, listener: (event: EventFor<T>) => void): this {
    this.hub.on(type, listener as (event: AgentEvent) => void);
    return this;
  }

  off<T extends AgentEventTypeLiteral | "*">(type: T, listener: (event: EventFor<T>) => void): this {
    this.hub.off(type, listener as (event: AgentEvent) => void);
    return this;
  }

  once<T extends AgentEventTypeLiteral | "*">(type: T, listener: (event: EventFor<T>) => void): this {
    const listenOnce = (event: EventFor<T>) => {
      this.off(type, listenOnce);
      listener(event);
    };
    return this.on(type, listenOnce);
  }
}
