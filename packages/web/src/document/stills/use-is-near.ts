/** Everything is in the file, however far from the screen. */
export const useIsNear = (): boolean => true;
