import { AsyncLocalStorage } from "node:async_hooks"

/** The language of a turn, which is that of its request. */
export type Language = "english" | "chinese"

/** Runs a turn, or a part of it, in a language. */
export const run = <A>(language: Language, part: () => A): A => storage.run(language, part)

/** The language of the turn; English outside of one. */
export const now = (): Language => storage.getStore() ?? "english"

/** The text in the language of the turn. */
export const text = (english: string, chinese: string): string => (now() === "chinese" ? chinese : english)

/** What there is once for each language, in that of the turn. */
export const pick = <A>(each: Readonly<Record<Language, A>>): A => each[now()]

const storage = new AsyncLocalStorage<Language>()
