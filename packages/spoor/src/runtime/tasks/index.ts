// The face of `tasks/` for the server and the command line.

export { readSpec, type TaskSpec } from "../specification/spec.ts";
export type { TaskContext } from "./context.ts";
export { createTask } from "./create.ts";
export { deleteTask } from "./delete.ts";
export { createAndStart, type FollowUp, followUp, followUps, startTask } from "./start.ts";
export { TaskError, type TaskErrorCode } from "./task-error.ts";
