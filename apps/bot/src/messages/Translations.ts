import { chinese } from "./Chinese.ts"
import { english } from "./English.ts"
import type { Messages } from "./Messages.ts"

/** Discord locales with translated names and descriptions, besides English. */
export const translations: ReadonlyArray<readonly [locale: "zh-CN", messages: Messages]> = [["zh-CN", chinese]]

/** The texts of a Discord locale, or English without a translation. */
export const forLocale = (locale: string): Messages => (locale === "zh-CN" ? chinese : english)

/** The texts for `Accept-Language` (RFC 9110): the first supported language. */
export const forBrowser = (accepted: string | undefined): Messages =>
  /^\s*zh\b/i.test((accepted ?? "").split(",").find((each) => /^\s*(zh|en)\b/i.test(each)) ?? "") ? chinese : english

/** Every language. */
export const languages: ReadonlyArray<Messages> = [english, ...translations.map(([, messages]) => messages)]

export { chinese, english }
