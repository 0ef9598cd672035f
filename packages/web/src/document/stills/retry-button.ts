/** Nothing can be tried again in a file. */
export const RetryButton = () => null;
