import type { english } from "./English.ts"

/** Every text of the pages, in one language. */
export type Messages = typeof english
