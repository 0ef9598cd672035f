/** The zone in which times of day are written. Undefined is that of the reader. */
export const TIME_ZONE: string | undefined = undefined;
