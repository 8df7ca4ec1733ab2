import { english } from "./English.ts"

/** Everything that the bot says to people, in one language. */
export type Messages = typeof english

/** The languages besides English that Discord gets names and descriptions in, by its own names of them. */
export const translations: ReadonlyArray<readonly [locale: "zh-CN", messages: Messages]> = []

/** The texts for a locale of Discord; English where there is no translation. */
export const forLocale = (_locale: string): Messages => english

export { english }
