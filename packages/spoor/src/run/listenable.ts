import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
import type { EventHub } from "./event-hub.ts";

/** The event that a listener for `T` gets. */
export type Heard<T> = T extends AgentEventTypeLiteral ? AgentEventOf<T> : AgentEvent;

/** Events to iterate and to listen to, both at the same time if needed. */
export abstract class Listenable implements AsyncIterable<AgentEvent> {
  protected abstract readonly hub: EventHub;

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    return this.hub.iterate();
  }

  on<T extends AgentEventTypeLiteral | "*">(type: T, listener: (event: Heard<T>) => void): this {
    this.hub.on(type, listener as (event: AgentEvent) => void);
    return this;
  }

  off<T extends AgentEventTypeLiteral | "*">(type: T, listener: (event: Heard<T>) => void): this {
    this.hub.off(type, listener as (event: AgentEvent) => void);
    return this;
  }

  once<T extends AgentEventTypeLiteral | "*">(type: T, listener: (event: Heard<T>) => void): this {
    const heard = (event: Heard<T>) => {
      this.off(type, heard);
      listener(event);
    };
    return this.on(type, heard);
  }
}
