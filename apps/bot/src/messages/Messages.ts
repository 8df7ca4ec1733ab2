import type { english } from "./English.ts"

/** All texts of the bot in one language. */
export type Messages = typeof english
