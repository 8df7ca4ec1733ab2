import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { english } from "@heddle/bot/messages/Translations"
import { english as pages } from "@heddle/server/http/pages/English"
import { Html } from "@heddle/server/http/pages/Html"

const guide = readFileSync(new URL("../../../docs/guide/first-steps.md", import.meta.url), "utf8")

/** What the texts that are made of something are made of here. */
const some = "7777"
const given = [
  [some, some, some, some],
  [some, some, "", []],
  [[some], some],
  [new Html(some), some]
]

/** Every line that is said, as a pattern: what it is made of may be anything. */
const lines = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return value.split("\n").map(pattern)
  if (value instanceof Html) return lines(value.markup.replace(/<[^>]*>/g, "").replace(/\s+/g, " "))
  if (typeof value === "function") {
    return given.flatMap((each) => {
      try {
        return lines(Reflect.apply(value, undefined, each))
      } catch {
        // Made of something else.
        return []
      }
    })
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(lines) : []
}

const pattern = (line: string): string =>
  line
    .replace(/^-# /, "")
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll(`<@${some}>`, "@\\w+")
    .replaceAll(`<#${some}>`, "#.+")
    .replaceAll(some, ".+")

describe("the guide from the invite link to the first answer", () => {
  it("quotes only existing texts", () => {
    // A pattern without enough fixed words would match any text.
    const said = [...lines(english), ...lines(pages)].filter(
      (line) => line.replaceAll(/\\.|\.\+/g, "").replaceAll(/[^a-z]/gi, "").length >= 4
    )
    const patterns = said.map((line) => new RegExp(`^${line}$`))
    const titled = english.requestCards.titleWithKind(english.requestCards.permission, "")
    const quotes = [...guide.matchAll(/^> (.+)$/gm)].map(([, quote = ""]) => quote)
    assert.isAbove(quotes.length, 20)
    for (const quote of quotes) {
      assert.isTrue(quote.startsWith(titled) || patterns.some((each) => each.test(quote)), `nobody says: ${quote}`)
    }
  })
})
