/** The same format as Pi's, with a title in the header. */
export { sessions } from "../pi/pi-session-logs.ts";
