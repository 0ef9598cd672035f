import type { Effect } from "../../log/effects.ts";
import type { LogDraft } from "../../log/log.ts";
import { approvalEffects } from "./approvals.ts";
import { artifactEffects } from "./artifacts.ts";
import { eventOf, type ProjectedRun, type Projection } from "./projection.ts";
import { projectQueue } from "./queue.ts";
import { projectTasks } from "./tasks.ts";
import { projectWorkspaces } from "./workspaces.ts";

export type { ProjectedEvent, ProjectedRun, Projection } from "./projection.ts";

/** The tables that follow from events, in the order in which one commit writes them. */
export const projections: readonly Projection[] = [
  projectTasks,
  projectWorkspaces,
  projectQueue,
  approvalEffects,
  artifactEffects,
];

/** The changes of rows that follow from these events of one run. */
export const effectsOf = (drafts: readonly LogDraft[], run: ProjectedRun): Effect[] =>
  drafts.flatMap((draft) => {
    const event = eventOf(draft);
    return projections.flatMap((project) => project(event, run));
  });
