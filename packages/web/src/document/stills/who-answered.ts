import { whoAnswered as whoOnPage, whyNobody } from "../../approvals/who-answered.ts";

type Decided = Parameters<typeof whoOnPage>[0];

/** Who decided. The reader of a file has no tab of the page. */
export function whoAnswered(approval: Decided): string {
  const who = whoOnPage(approval, false);
  return who === "another tab" ? "somebody on the page" : who;
}

export const byWhom = (approval: Decided): string => whyNobody(approval) ?? `by ${whoAnswered(approval)}`;
