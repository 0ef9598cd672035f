import type { Cli } from "./cli.ts";
import { failures } from "./scenarios/failures.ts";
import { handshake } from "./scenarios/handshake.ts";
import { interrupts } from "./scenarios/interrupts.ts";
import { permission } from "./scenarios/permission.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { sessions } from "./scenarios/sessions.ts";
import { speech } from "./scenarios/speech.ts";
import { tools } from "./scenarios/tools.ts";

export type { Scenario } from "./scenarios/scenario.ts";

export const scenarios: readonly Scenario[] = [
  ...speech,
  ...tools,
  ...permission,
  ...failures,
  ...sessions,
  ...interrupts,
];

/** The scenarios that every agent is driven through. */
export const scenariosOf = ({ needsLogin }: Cli): readonly Scenario[] => (needsLogin ? handshake : scenarios);
