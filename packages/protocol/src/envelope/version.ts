/** The version of the envelope format, increased only by a breaking change. Kept apart so that writers need not load schemas. */
export const SCHEMA_VERSION = "1";
