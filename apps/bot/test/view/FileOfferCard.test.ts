import { assert, describe, it } from "@effect/vitest"
import { english } from "@heddle/bot/messages/Translations"
import * as FileOfferCard from "@heddle/bot/view/FileOfferCard"

describe("the card of offered files", () => {
  it("names a file whose name nobody can see", () => {
    const files = [{ path: "\u3164\u200b", size: 1, change: "created" as const }]
    const offer = { method: "_x/files", messageId: "1", files, more: 0, always: false }
    const { rows } = FileOfferCard.post(offer, "1", english)
    const labels = rows.flat().flatMap((control) => ("options" in control ? control.options : []))
    assert.deepEqual(
      labels.map(({ label }) => label),
      ["…"]
    )
  })
})
