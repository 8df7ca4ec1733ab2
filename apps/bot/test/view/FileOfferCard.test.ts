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
  it("says above all names how to get files that are not listed, and that not all folders were looked at", () => {
    const path = (index: number) => `${"_".repeat(99)}${index % 10}`
    const files = Array.from({ length: 25 }, (_, index) => ({ path: path(index), size: 1, change: "created" as const }))
    const offer = { method: "_x/files", messageId: "1", files, more: 15, always: false }
    const text = (partial: boolean) =>
      FileOfferCard.post(partial ? { ...offer, partial } : offer, "1", english).embeds[0]?.description ?? ""
    assert.match(text(false), /15 others are not listed[^\n]*Ask the agent[^\n]*`artifacts\/`/)
    assert.notMatch(text(false), /not all folders/)
    assert.match(text(true), /15 others[^\n]*\n[^\n]*not all folders[^\n]*\n- /)
  })
})
