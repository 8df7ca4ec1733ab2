import assert from "node:assert/strict"
import { describe, it } from "vitest"
import { NO_RESPONSE } from "../../page/model/Errors.ts"
import { reduce } from "../../page/model/Reduce.ts"
import { type Action, type State, draftOf, initialState } from "../../page/model/State.ts"
import type { Message, Snapshot } from "../../page/model/Types.ts"

const snapshot: Snapshot = {
  me: "1",
  locale: "en-US",
  locales: ["en-US"],
  users: [
    { id: "1", username: "You" },
    { id: "2", username: "Bot", bot: true }
  ],
  botId: "2",
  roles: [],
  guild: { id: "9", name: "Local server", ownerId: "1", locale: "en-US", canManage: true },
  channels: [
    { id: "100", name: "general", type: 0 },
    { id: "200", name: "a thread", type: 11, parentId: "100" }
  ],
  commands: []
}

const message = (id: string, content: string, more: Partial<Message> = {}): Message =>
  ({
    id,
    channel_id: "100",
    author: { id: "2", username: "Bot" },
    content,
    timestamp: "2026-01-01T00:00:00.000Z",
    edited_timestamp: null,
    ...more
  }) as Message

const after = (state: State, ...actions: ReadonlyArray<Action>): State => actions.reduce(reduce, state)
const contents = (state: State, channel = "100") => state.messages[channel]?.list.map((entry) => entry.content)
const loaded = (...messages: ReadonlyArray<Message>) => ({
  type: "loaded" as const,
  channel: "100",
  messages,
  complete: true,
  isOlderPage: false
})
const here = after(
  initialState,
  { type: "snapshot", snapshot },
  { type: "channel_opened", currentChannel: "100" },
  loaded(message("5", "five"))
)

describe("reduce", () => {
  it("keeps each message once, sorted by id", () => {
    const news: Action = { type: "message", message: message("10", "ten"), isCreated: true }
    assert.deepEqual(contents(after(here, news, news)), ["five", "ten"])
  })

  it("keeps newer edits and deletions when an older page of history arrives", () => {
    const state = after(
      here,
      {
        type: "message",
        message: message("5", "five, longer", { edited_timestamp: "2026-01-01T00:00:09.000Z" }),
        isCreated: false
      },
      { type: "message", message: message("6", "six"), isCreated: true },
      { type: "message_deleted", channel: "100", message: "6" },
      loaded(message("5", "five"), message("6", "six"))
    )
    assert.deepEqual(contents(state), ["five, longer"])
  })

  it("replaces its state with the snapshot after a reconnect", () => {
    const state = after(here, { type: "connection", status: "lost" }, { type: "snapshot", snapshot })
    assert.equal(state.connection, "live")
    assert.equal(state.messages["100"]?.stale, true)
    assert.deepEqual(contents(after(state, loaded(message("7", "seven")))), ["seven"])
  })

  it("keeps messages that arrive while a channel loads", () => {
    const start = after(initialState, { type: "snapshot", snapshot }, { type: "channel_opened", currentChannel: "100" })
    const state = after(
      start,
      { type: "message", message: message("3", "an edit far up"), isCreated: false },
      { type: "message", message: message("10", "ten"), isCreated: true },
      { ...loaded(message("5", "five")), complete: false }
    )
    assert.deepEqual(contents(state), ["five", "ten"])
    const again = after(
      state,
      { type: "snapshot", snapshot },
      { type: "message", message: message("11", "eleven"), isCreated: true },
      loaded(message("5", "five"))
    )
    assert.deepEqual(contents(again), ["five", "eleven"], "ten is no longer there, eleven came meanwhile")
  })

  it("marks other channels unread, but not for own messages", () => {
    const elsewhere = message("11", "x", { channel_id: "200" })
    const state = after(
      here,
      { type: "message", message: message("10", "ten"), isCreated: true },
      { type: "message", message: elsewhere, isCreated: true }
    )
    assert.deepEqual([...state.unread], ["200"])
    assert.deepEqual([...after(state, { type: "channel_opened", currentChannel: "200" }).unread], [])
    const own = message("12", "mine", { channel_id: "200", author: { id: "1", username: "You" } as Message["author"] })
    assert.deepEqual([...after(here, { type: "message", message: own, isCreated: true }).unread], [])
  })

  it("keeps a draft per channel through a reconnect and a change of person", () => {
    const state = after(
      here,
      { type: "draft", channel: "100", change: { text: "half a sent" } },
      { type: "connection", status: "lost" },
      { type: "person_switched" }
    )
    assert.equal(draftOf(state, "100").text, "half a sent")
    assert.equal(draftOf(state, "200").text, "")
  })

  it("removes only the no-answer errors after a reconnect", () => {
    const state = after(
      here,
      { type: "draft", channel: "100", change: { text: "half", error: NO_RESPONSE } },
      { type: "draft", channel: "200", change: { error: "Thread is locked" } },
      { type: "message_error", message: "5", text: NO_RESPONSE },
      { type: "connection", status: "lost" },
      { type: "snapshot", snapshot }
    )
    assert.equal(draftOf(state, "100").error, undefined)
    assert.equal(draftOf(state, "100").text, "half")
    assert.equal(draftOf(state, "200").error, "Thread is locked")
    assert.deepEqual(state.messageErrors, {})
  })

  it("ends typing after its time or with the message", () => {
    const typing = after(here, { type: "typing", channel: "100", person: "2", until: 50 })
    assert.deepEqual(Object.keys(typing.typing["100"] ?? {}), ["2"])
    assert.deepEqual(Object.keys(after(typing, { type: "tick", now: 51 }).typing["100"] ?? {}), [])
    const said = after(typing, { type: "message", message: message("10", "ten"), isCreated: true })
    assert.deepEqual(Object.keys(said.typing["100"] ?? {}), [])
  })
})
