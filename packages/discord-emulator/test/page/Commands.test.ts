import assert from "node:assert/strict"
import { describe, it } from "vitest"
import {
  isAllowedInDirect,
  readOption,
  runnableCommands,
  searchCommands,
  typedCommand,
  suggestedCommands
} from "../../page/model/Commands.ts"
import type { Command } from "../../page/model/Types.ts"

const base = { application_id: "1", version: "1", default_member_permissions: null, type: 1 as const }
const commands = [
  {
    ...base,
    id: "10",
    name: "task",
    description: "Tasks",
    options: [
      {
        type: 1,
        name: "new",
        description: "Start one",
        name_localized: "新建",
        description_localized: "新建一个",
        options: [{ type: 3, name: "prompt", description: "What", required: true }]
      },
      { type: 2, name: "set", description: "Settings", options: [{ type: 1, name: "model", description: "Which" }] }
    ]
  },
  { ...base, id: "11", name: "credit", description: "How much is left of a task budget" },
  { ...base, id: "12", type: 3 as never, name: "Translate", description: "" }
] as ReadonlyArray<Command>
const all = runnableCommands(commands)

describe("runnables", () => {
  it("gives every subcommand its path, and leaves context-menu commands out", () => {
    assert.deepEqual(
      all.map((item) => item.path),
      ["task new", "task set model", "credit"]
    )
  })
})

describe("a command with texts in the person's language", () => {
  it("shows those, is found by them too, and is still itself", () => {
    const [found] = searchCommands(all, "新")
    assert.deepEqual([found?.path, found?.shown, found?.description], ["task new", "task 新建", "新建一个"])
    assert.equal(typedCommand(all, "task 新建 count")?.command.path, "task new")
    assert.equal(all[1]?.shown, "task set model")
  })

  it("offers choices by them", () => {
    const option = {
      type: 3,
      name: "x",
      description: "",
      choices: [{ name: "Europe", name_localized: "欧洲", value: "eu" }]
    } as unknown as Parameters<typeof readOption>[0]
    assert.deepEqual(readOption(option, { text: "欧洲" }), { value: "eu" })
  })
})

describe("starters", () => {
  it("have one command of each name", () => {
    assert.deepEqual(
      suggestedCommands(all).map((item) => item.path),
      ["task new", "credit"]
    )
  })
})

describe("search", () => {
  it("puts what starts like the text first", () => {
    assert.deepEqual(
      searchCommands(all, "task").map((item) => item.path),
      ["task new", "task set model", "credit"]
    )
    assert.deepEqual(
      searchCommands(all, "mod").map((item) => item.path),
      ["task set model"]
    )
    assert.deepEqual(searchCommands(all, "nothing like it"), [])
  })
})

describe("spelledOut", () => {
  it("takes a typed-out command with the rest of the text", () => {
    const found = typedCommand(all, "task new count the rows")
    assert.equal(found?.command.path, "task new")
    assert.equal(found.rest, "count the rows")
    assert.equal(typedCommand(all, "task"), undefined)
  })
})

describe("readOption", () => {
  const option = (type: number, more: object = {}) =>
    ({ type, name: "x", description: "", ...more }) as Parameters<typeof readOption>[0]

  it("asks for what is required and lets the rest be empty", () => {
    assert.deepEqual(readOption(option(3, { required: true }), { text: "  " }), { problem: "is required" })
    assert.deepEqual(readOption(option(3), undefined), {})
  })

  it("reads numbers within their bounds", () => {
    assert.deepEqual(readOption(option(4, { min_value: 1, max_value: 9 }), { text: "7" }), { value: 7 })
    assert.equal(readOption(option(4), { text: "1.5" }).problem, "must be a whole number")
    assert.equal(readOption(option(10, { max_value: 9 }), { text: "9.5" }).problem, "must be 9 or less")
    assert.equal(readOption(option(10), { text: "many" }).problem, "must be a number")
  })

  it("takes a choice by its name, and nothing else where choices are fixed", () => {
    const fixed = option(3, { choices: [{ name: "Europe", value: "eu" }] })
    assert.deepEqual(readOption(fixed, { text: "europe" }), { value: "eu" })
    assert.equal(readOption(fixed, { text: "Mars" }).problem, "must be one of its choices")
    assert.deepEqual(readOption(option(5), { text: "False" }), { value: false })
  })

  it("wants people picked from the list, not typed", () => {
    assert.equal(readOption(option(6), { text: "sam" }).problem, "must be picked from the list")
    assert.deepEqual(readOption(option(6), { text: "@Sam", value: "42" }), { value: "42" })
  })

  it("knows that the commands of a server are not for direct messages", () => {
    const command = { ...base, id: "1", name: "task", description: "Tasks" } as Command
    assert.equal(isAllowedInDirect(command), true)
    assert.equal(isAllowedInDirect({ ...command, guild_id: "9" }), false)
    assert.equal(isAllowedInDirect({ ...command, contexts: [0] }), false)
  })
})
