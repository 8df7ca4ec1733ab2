import { assert, it } from "@effect/vitest"
import * as IsoTime from "@heddle/core/domain/IsoTime"
import * as FastCheck from "effect/FastCheck"

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

it("reads any offset, fraction and a space", () => {
  for (const text of [
    "2026-01-02T03:04:05.678Z",
    "2026-01-02t03:04:05.678z",
    "2026-01-02 03:04:05.678Z",
    "2026-01-02 03:04:05,678 +00:00",
    "2026-01-02T03:04:05.678",
    "2026-01-02T03:04:05.678999999Z",
    "2026-01-02T11:04:05.678+08:00",
    "2026-01-02T11:04:05.678+0800",
    "2026-01-02 11:04:05.678+08",
    "2026-01-01T21:34:05.678-05:30",
    " 2026-01-02T03:04:05.678Z\n"
  ]) {
    assert.strictEqual(IsoTime.toMillis(text), at, text)
  }
  assert.strictEqual(IsoTime.toMillis("2026-01-02T03:04:05.6Z"), at - 78)
  assert.strictEqual(IsoTime.toMillis("2026-01-02T03:04Z"), at - 5_678)
  assert.strictEqual(IsoTime.toMillis("2026-01-02"), Date.UTC(2026, 0, 2))
  assert.strictEqual(IsoTime.toMillis("2016-12-31T23:59:60Z"), Date.UTC(2017, 0, 1))
})

it("rejects text that is no time", () => {
  for (const text of [
    "",
    "now",
    "1767323045678",
    "2026-13-01T00:00:00Z",
    "2026-02-29",
    "2026-01-02T24:01:00Z",
    "2026-01-02T03:60:00Z",
    "2026-01-02T03:04:05+24:00",
    "2026-01-02T03:04:05+08:60",
    "2026-1-2",
    "2026-01-02T03",
    "2026-01-02T03:04:05 PST",
    "Fri, 02 Jan 2026 03:04:05 GMT"
  ]) {
    assert.isUndefined(IsoTime.toMillis(text), text)
  }
})

it("reads every time that was written, at every offset", () => {
  FastCheck.assert(
    FastCheck.property(
      FastCheck.integer({ min: Date.UTC(0, 0, 2) - 1900 * 365 * 86_400_000, max: Date.UTC(9999, 11, 30) }),
      FastCheck.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }),
      (millis, offset) => {
        const local = new Date(millis + offset * 60_000).toISOString()
        if (local.length > 24) return
        const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60].map((n) =>
          String(n).padStart(2, "0")
        )
        const text = local.replace("Z", `${offset < 0 ? "-" : "+"}${hours}:${minutes}`)
        assert.strictEqual(IsoTime.toMillis(text), millis, text)
      }
    )
  )
})
