/** A file says the same to every reader, so its times are in one zone. The head of the file names it. */
export const TIME_ZONE = "UTC";
