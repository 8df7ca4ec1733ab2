import { chinese } from "./Chinese.ts"
import { english } from "./English.ts"
import type { Messages } from "./Messages.ts"

/** The languages besides English that Discord gets names and descriptions in, by its own names of them. */
export const translations: ReadonlyArray<readonly [locale: "zh-CN", messages: Messages]> = [["zh-CN", chinese]]

/** The texts for a locale of Discord; English where there is no translation. */
export const forLocale = (locale: string): Messages => (locale === "zh-CN" ? chinese : english)

/** The texts for a browser's `Accept-Language`: the first of its languages that there is. */
export const forBrowser = (accepted: string | undefined): Messages =>
  /^\s*zh\b/i.test((accepted ?? "").split(",").find((each) => /^\s*(zh|en)\b/i.test(each)) ?? "") ? chinese : english

/** Every language there is. */
export const languages: ReadonlyArray<Messages> = [english, ...translations.map(([, messages]) => messages)]

export { chinese, english }
