import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import * as GatewayLiveness from "@heddle/bot/discord/gateway/GatewayLiveness"
import { type Client, Events, Status } from "discord.js"
import { EventEmitter } from "node:events"

const hour = 3_600_000

describe("GatewayLiveness", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }))
  afterEach(() => void vi.useRealTimers())

  const start = () => {
    // discord.js notes the time of day of each acknowledged heartbeat.
    const shards = [{ status: Status.Ready, lastPingTimestamp: Date.now() }]
    const client = Object.assign(new EventEmitter(), { ws: { shards } })
    let heartbeat = () => {}
    const { silence } = GatewayLiveness.make(
      client as unknown as Client,
      (listener) => void (heartbeat = listener),
      52_000
    )
    return { client, heartbeat: () => heartbeat(), silence }
  }

  for (const step of [-2 * hour, 2 * hour]) {
    it(`tells a silent gateway from a live one after the time of day went by ${step / hour} hours`, () => {
      const { client, heartbeat, silence } = start()
      vi.setSystemTime(Date.now() + step)
      vi.advanceTimersByTime(50_000)
      assert.isUndefined(silence())
      vi.advanceTimersByTime(3000)
      assert.match(silence() ?? "", /no life for 53 s/)
      heartbeat()
      assert.isUndefined(silence())
      vi.advanceTimersByTime(53_000)
      assert.match(silence() ?? "", /no life for 53 s/)
      client.emit(Events.Raw)
      assert.isUndefined(silence())
    })
  }
})
