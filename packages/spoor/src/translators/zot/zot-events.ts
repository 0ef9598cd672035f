/** A line of zot. Its names are in alphabetical order, as zot prints them. */
export type ZotEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A part of a message of the user or of the model, or of the result of a tool. */
export type ZotBlock = { readonly type: "text" | "image" | "tool_call" | "tool_result" } & Readonly<
  Record<string, unknown>
>;

/** Why a model call stopped. */
export type ZotStop = "tool_use" | "end" | "length" | "error" | "aborted";

export const textBlock = (text: string): ZotBlock => ({ text, type: "text" });

/** A line for people, which zot's extensions use. It tells what zot has no event for. */
export const notify = (level: "info" | "warn", message: string): ZotEvent => ({
  extension: "spoor",
  level,
  message,
  type: "ext_notify",
});

/** Providers spell the reason differently: `tool_use`, `toolUse`, `tool-calls`, … */
export const stopOf = (reason: string | undefined): ZotStop | undefined =>
  stops.get((reason ?? "").toLowerCase().replaceAll(/[^a-z]/g, ""));

const stops: ReadonlyMap<string, ZotStop> = new Map(
  Object.entries<ZotStop>({
    ...{ tooluse: "tool_use", toolcall: "tool_use", toolcalls: "tool_use", functioncall: "tool_use" },
    ...{ end: "end", endturn: "end", stop: "end", stopsequence: "end", completed: "end" },
    ...{ length: "length", maxtokens: "length", maxoutputtokens: "length" },
    ...{ error: "error", aborted: "aborted", cancelled: "aborted", interrupted: "aborted" },
  }),
);
