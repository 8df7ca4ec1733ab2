import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { assert, describe, it } from "@effect/vitest"
import * as Database from "@heddle/bot/store/database/Database"
import * as FileOffers from "@heddle/bot/store/FileOffers"
import { folder } from "@heddle/test-support/Folder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

const offer = { method: "_x/files", messageId: "5", files: [], more: 0, always: false }

describe("the offer of a turn", () => {
  it.scopedLive("is known in its own thread alone", () =>
    Effect.gen(function* () {
      const offers = yield* FileOffers.FileOffers
      yield* offers.add("1", "10", offer)
      assert.isTrue(Option.isSome(yield* offers.ofTurn("1", "10")))
      assert.isTrue(Option.isNone(yield* offers.ofTurn("2", "10")))
    }).pipe(
      Effect.provide(
        Layer.unwrapScoped(
          Effect.map(folder("heddle-offers-"), (dataDir) =>
            FileOffers.layer.pipe(
              Layer.provide(Database.layer(dataDir)),
              Layer.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer))
            )
          )
        )
      )
    )
  )
})
