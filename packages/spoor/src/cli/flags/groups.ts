import { type UsageGroup, usageGroups } from "@spoor/protocol/api/values";
import { ExitError } from "../exit-error.ts";

/** Reads a list of groups, separated by commas. */
export function groups(name: string): (text: string) => UsageGroup[] {
  return (text) => {
    const given = [...new Set(text.split(",").map((group) => group.trim()))];
    if (given.every((group): group is UsageGroup => usageGroups.some((known) => known === group))) return given;
    throw new ExitError(2, `${name} takes some of ${usageGroups.join(", ")}, separated by commas, not ${text}.`);
  };
}
