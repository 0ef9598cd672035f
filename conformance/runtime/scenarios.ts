import type { RuntimeScenario } from "./scenario.ts";
import { approvals } from "./scenarios/approvals.ts";
import { rules } from "./scenarios/rules.ts";
import { stops } from "./scenarios/stops.ts";
import { tasks } from "./scenarios/tasks.ts";

export const runtimeScenarios: readonly RuntimeScenario[] = [...approvals, ...rules, ...stops, ...tasks];
