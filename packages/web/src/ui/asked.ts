/** What a waiting run asks. The line of its row begins with words that say so, which are left out here. */
export const askedIn = (now: string | undefined): string | undefined =>
  now?.replace(/^(?:asks for permission|asks): /, "");
