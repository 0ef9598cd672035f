import { adapters } from "../agents/registry.ts";
import { type Client, type ClientOptions, createClientOf } from "./client-of.ts";

export type { Client, ClientOptions, RunOptions } from "./client-of.ts";

/** The way in for programs: no server, no log, agents as child processes of yours. */
export const createClient = (options?: ClientOptions): Client => createClientOf(adapters, options);
