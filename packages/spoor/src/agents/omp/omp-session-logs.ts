/** The same as Pi writes, with a title at its head. */
export { sessions } from "../pi/pi-session-logs.ts";
