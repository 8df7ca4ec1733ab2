import type { Emulator } from "@heddle/discord-emulator"
import type { Answer, Fault } from "../DiscordProxy.ts"
import type { SessionService } from "./SessionService.ts"

/**
 * A Discord that is busy, fails, and breaks connections, at times after it acted. What was written in channels cannot be
 * read for seconds on end, the first time at once.
 */
export const failingDiscord = (chance: () => number, seen: Map<string, number>) => {
  const unread = { until: 0, runs: 0, inARow: 0 }
  const failingReads = (): Fault | undefined => {
    if (Date.now() >= unread.until) {
      // A reader waits up to 10 s between two tries: without a limit, chance alone keeps it waiting for minutes.
      if (unread.runs > 0 && (unread.inARow === 2 || chance() < 0.5)) {
        unread.inARow = 0
        return undefined
      }
      unread.runs++
      unread.inARow++
      unread.until = Date.now() + 1000 + chance() * 2000
      seen.set("run of failing reads", (seen.get("run of failing reads") ?? 0) + 1)
    }
    seen.set("read failing", (seen.get("read failing") ?? 0) + 1)
    return { acts: false, answer: chance() < 0.3 ? undefined : badGateway }
  }
  const fault = ({ method, path }: { readonly method: string; readonly path: string }): Fault | undefined => {
    if (method === "GET" && /^\/channels\/\d+\/messages(\?|$)/.test(path)) return failingReads()
    const drawn = chance() * 100
    const kind =
      drawn < 4
        ? "busy"
        : drawn < 8
          ? "failing"
          : drawn < 12
            ? "failing late"
            : drawn < 15
              ? "lost"
              : drawn < 20
                ? "lost late"
                : ""
    if (kind === "") return undefined
    seen.set(`call ${kind}`, (seen.get(`call ${kind}`) ?? 0) + 1)
    switch (kind) {
      case "busy":
        return {
          acts: false,
          answer: {
            status: 429,
            headers: { "content-type": "application/json", "retry-after": "0.3", "x-ratelimit-scope": "shared" },
            body: Buffer.from(
              JSON.stringify({ message: "You are being rate limited.", retry_after: 0.3, global: false })
            )
          }
        }
      case "failing":
      case "failing late":
        return {
          acts: kind === "failing late",
          answer: badGateway
        }
      default:
        return { acts: kind === "lost late", answer: undefined }
    }
  }
  return { fault }
}

const badGateway: Answer = { status: 502, headers: { "content-type": "text/plain" }, body: Buffer.from("bad gateway") }

/** Cuts streams and gateways, ends tokens, and takes the service away for a while, from when both threads are there. */
export const brokenNetwork =
  (chance: () => number, downMs: number, seen: Map<string, number>) =>
  ({ emulator, service }: { emulator: Emulator; service: SessionService }) => {
    const timers = new Set<ReturnType<typeof setTimeout>>()
    const later = (ms: number, act: () => void) => {
      const timer = setTimeout(() => {
        timers.delete(timer)
        act()
      }, ms)
      timers.add(timer)
    }
    let dropped = 0
    const drop = (resume: boolean) => {
      dropped++
      emulator.dropGateway({ resume })
    }
    const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)
    const again = (what: string, fromMs: number, toMs: number, act: () => void): void =>
      later(fromMs + chance() * (toMs - fromMs), () => {
        note(what)
        act()
        again(what, fromMs, toMs, act)
      })
    const begin = (): void => {
      if (emulator.threads().length < 2) return later(50, begin)
      again("streams cut", 1000, 4000, service.cutStreams)
      again("gateway dropped", 4000, 8000, () => drop(true))
      again("session lost", 6000, 12_000, () => drop(false))
      again("tokens ended", 2000, 6000, service.endTokens)
      later(1000 + chance() * 2000, () => {
        note("service down")
        service.setDown(true)
        service.cutStreams()
        later(downMs, () => service.setDown(false))
      })
    }
    begin()
    return {
      absences: () => dropped,
      stop: () => {
        for (const timer of timers) clearTimeout(timer)
        service.setDown(false)
      }
    }
  }
