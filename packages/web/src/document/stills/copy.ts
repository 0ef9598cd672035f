/** The reader copies by selecting. */
export const CopyButton = () => null;
