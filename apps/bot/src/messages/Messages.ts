import type { english } from "./English.ts"

/** Everything that the bot says to people, in one language. */
export type Messages = typeof english
