import type { Adapter, LaunchRequest } from "../agents/machine.ts";
import { reportsUsage } from "./usage-reports.ts";

/** What an agent can be held to while it runs. */
export interface AgentAbilities {
  /** The dialect in which Spoor runs the agent. */
  dialect: string;
  /** Whether the agent asks before it acts, so that people and rules can decide. */
  asksPermission: boolean;
  takesAnswers: boolean;
  takesPrompts: boolean;
  /** Whether the agent can be asked to stop its work and stay. */
  canBeInterrupted: boolean;
  /** Whether its processes can be stopped and continued. */
  canBePaused: boolean;
  /** Whether the agent reports tokens or costs, so that a budget can be held. */
  reportsUsage: boolean;
}

/** Collects what an agent can be held to in the dialect in which it runs. Starts no program. */
export function controlsOf(adapter: Adapter, platform: NodeJS.Platform = process.platform): AgentAbilities | undefined {
  const dialect = adapter.dialects.find(({ live }) => live !== undefined);
  const live = dialect?.live;
  if (!dialect || !live) return undefined;
  const driver = live.createDriver(sample);
  return {
    dialect: dialect.name,
    asksPermission: dialect.canAsk && live.askWarning === undefined,
    takesAnswers: driver.answer !== undefined,
    takesPrompts: driver.follow !== undefined,
    canBeInterrupted: driver.interrupt !== undefined,
    canBePaused: platform !== "win32",
    reportsUsage: reportsUsage(adapter, dialect),
  };
}

/** Drivers are pure, so one can be made to see what it can do. */
const sample: LaunchRequest = { prompt: "", cwd: "/", approve: "ask" };
