// What a worker needs once there is a run. It is loaded with the first one, so that a server starts faster.

export { openingOf } from "./opening.ts";
export { perform } from "./perform.ts";
