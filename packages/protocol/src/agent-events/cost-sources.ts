/** Where a cost comes from. Kept apart from the schemas, so that a page need not load them. */
export const costSources = ["billed", "agent_reported", "estimated"] as const;
