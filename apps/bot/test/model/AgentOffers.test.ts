import * as SessionModel from "@heddle/acp/SessionModel"
import { assert, describe, it } from "@effect/vitest"
import * as AgentOffers from "@heddle/bot/model/AgentOffers"
import { english } from "@heddle/bot/messages/Translations"
import { modeText } from "@heddle/bot/view/Access"

const long = "*".repeat(3000)

const offered = (fields: object): AgentOffers.AgentOffers =>
  AgentOffers.of({
    commands: [],
    configOptions: [],
    mode: undefined,
    model: undefined,
    models: [],
    modes: [],
    ...fields
  } as unknown as SessionModel.SessionState)

describe("what an agent offers", () => {
  it("has names of one short line, so that the card of the task fits a message", () => {
    const { mode } = offered({ mode: "auto", modes: [{ id: "auto", name: `Edits\n# ${long}` }] })
    const line = modeText(mode!, english)
    assert.isBelow(line.length, 500)
    assert.notInclude(line, "\n")
    const unknown = offered({ mode: long, modes: [{ id: "auto", name: "\u200b" }] })
    assert.isBelow(modeText(unknown.mode!, english).length, 500)
    assert.strictEqual(unknown.mode?.values[0]?.name, "…")
  })

  it("is no more than people can choose from", () => {
    const values = Array.from({ length: 5000 }, (_, index) => ({ value: `v${index}`, name: long, description: long }))
    const option = { type: "select", id: "style", name: long, description: long, currentValue: "v0", options: values }
    const options = Array.from({ length: 500 }, (_, index) => ({ ...option, id: `o${index}`, options: [values[0]] }))
    const command = { name: "review", description: long, input: { hint: long } }
    const all = offered({ configOptions: [option, ...options], commands: [{ ...command, name: long }, command] })
    assert.deepEqual(
      all.commands.map(({ name }) => name),
      ["review"]
    )
    assert.isBelow(JSON.stringify(all).length, 150_000)
  })
})
