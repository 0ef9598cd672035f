import { useIsPhone, useMedia } from "../ui/use-media.ts";

/** The height of a row: one line, or two on a phone. */
export const useRowHeight = (): number => (useIsPhone() ? 52 : 30);

/** Whether the selected event is shown beside the table. */
export const useIsWide = (): boolean => useMedia("(min-width: 1001px)");
