import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { assert, describe, it } from "@effect/vitest"
import * as Database from "@heddle/bot/store/database/Database"
import * as Inbox from "@heddle/bot/store/Inbox"
import * as Requests from "@heddle/bot/store/Requests"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import { folder } from "@heddle/test-support/Folder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

const entry = {
  eventId: "10",
  threadId: "1",
  kind: "message",
  authorId: "2",
  authorName: "Sam",
  content: "",
  attachments: [],
  first: true,
  late: false,
  receivedAt: 0
} as const

const request = {
  requestId: "10",
  kind: "new",
  guildId: "3",
  channelId: "4",
  userId: "2",
  openId: undefined,
  replyToken: undefined,
  locale: undefined,
  prompt: "",
  name: undefined,
  attachments: [],
  state: "starting",
  acknowledged: true,
  messageId: undefined,
  threadId: undefined
} as const

const withStore = <A, E>(test: Effect.Effect<A, E, Inbox.Inbox | Requests.Requests>) =>
  Effect.flatMap(folder("heddle-inbox-"), (dataDir) =>
    test.pipe(
      Effect.provide(
        Layer.mergeAll(Inbox.layer, Requests.layer).pipe(
          Layer.provide(
            Layer.merge(
              Database.layer(dataDir),
              EncryptionKey.layer([Redacted.make(Buffer.alloc(32, 7).toString("base64"))])
            )
          ),
          Layer.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer))
        )
      )
    )
  )

describe("the kind of a stored row", () => {
  it.scopedLive("decides what begins the turn, whatever the text is", () =>
    withStore(
      Effect.gen(function* () {
        const inbox = yield* Inbox.Inbox
        const kinds = ["message", "opened", "late_output"] as const
        for (const [index, kind] of kinds.entries()) yield* inbox.add({ ...entry, eventId: String(index), kind })
        yield* inbox.add({ ...entry, eventId: "3", first: false })
        const turnKinds = (yield* inbox.pending).map(Inbox.turnKind)
        assert.deepStrictEqual(turnKinds, ["FirstPrompt", "OpenedTask", "LateOutput", "Message"])
      })
    )
  )

  it.scopedLive("says whether a request creates a task or opens one", () =>
    withStore(
      Effect.gen(function* () {
        const requests = yield* Requests.Requests
        for (const kind of ["new", "opened"] as const) yield* requests.add({ ...request, requestId: kind, kind }, 0)
        for (const kind of ["new", "opened"] as const) {
          assert.strictEqual(Option.getOrUndefined(yield* requests.find(kind))?.kind, kind)
        }
      })
    )
  )
})
