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

describe("runnableCommands", () => {
  it("lists every subcommand with its path, without context menu commands", () => {
    assert.deepEqual(
      all.map((item) => item.path),
      ["task new", "task set model", "credit"]
    )
  })
})

describe("a localized command", () => {
  it("is shown and found by its localized texts", () => {
    const [found] = searchCommands(all, "新")
    assert.deepEqual([found?.path, found?.localizedPath, found?.description], ["task new", "task 新建", "新建一个"])
    assert.equal(typedCommand(all, "task 新建 count")?.command.path, "task new")
    assert.equal(all[1]?.localizedPath, "task set model")
  })

  it("shows localized choices", () => {
    const option = {
      type: 3,
      name: "x",
      description: "",
      choices: [{ name: "Europe", name_localized: "欧洲", value: "eu" }]
    } as unknown as Parameters<typeof readOption>[0]
    assert.deepEqual(readOption(option, { text: "欧洲" }), { value: "eu" })
  })
})

describe("suggestedCommands", () => {
  it("has one command of each name", () => {
    assert.deepEqual(
      suggestedCommands(all).map((item) => item.path),
      ["task new", "credit"]
    )
  })
})

describe("searchCommands", () => {
  it("lists commands that start with the text first", () => {
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

describe("typedCommand", () => {
  it("finds a typed command and the rest of the text", () => {
    const found = typedCommand(all, "task new count the rows")
    assert.equal(found?.command.path, "task new")
    assert.equal(found.rest, "count the rows")
    assert.equal(typedCommand(all, "task"), undefined)
  })
})

describe("readOption", () => {
  const option = (type: number, more: object = {}) =>
    ({ type, name: "x", description: "", ...more }) as Parameters<typeof readOption>[0]

  it("requires required options only", () => {
    assert.deepEqual(readOption(option(3, { required: true }), { text: "  " }), { problem: "is required" })
    assert.deepEqual(readOption(option(3), undefined), {})
  })

  it("reads numbers within their bounds", () => {
    assert.deepEqual(readOption(option(4, { min_value: 1, max_value: 9 }), { text: "7" }), { value: 7 })
    assert.equal(readOption(option(4), { text: "1.5" }).problem, "must be a whole number")
    assert.equal(readOption(option(10, { max_value: 9 }), { text: "9.5" }).problem, "must be 9 or less")
    assert.equal(readOption(option(10), { text: "many" }).problem, "must be a number")
  })

  it("accepts fixed choices by name and nothing else", () => {
    const fixed = option(3, { choices: [{ name: "Europe", value: "eu" }] })
    assert.deepEqual(readOption(fixed, { text: "europe" }), { value: "eu" })
    assert.equal(readOption(fixed, { text: "Mars" }).problem, "must be one of its choices")
    assert.deepEqual(readOption(option(5), { text: "False" }), { value: false })
  })

  it("rejects a typed user", () => {
    assert.equal(readOption(option(6), { text: "sam" }).problem, "must be picked from the list")
    assert.deepEqual(readOption(option(6), { text: "@Sam", value: "42" }), { value: "42" })
  })

  it("excludes guild commands from direct messages", () => {
    const command = { ...base, id: "1", name: "task", description: "Tasks" } as Command
    assert.equal(isAllowedInDirect(command), true)
    assert.equal(isAllowedInDirect({ ...command, guild_id: "9" }), false)
    assert.equal(isAllowedInDirect({ ...command, contexts: [0] }), false)
  })
})
