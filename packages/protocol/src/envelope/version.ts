/** Raised only by a breaking change. In a file of its own for those who write envelopes and need no schema. */
export const SCHEMA_VERSION = "1";
