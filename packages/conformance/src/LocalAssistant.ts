import * as Effect from "effect/Effect"
import * as Api from "./Api.ts"
import type { Run } from "./Check.ts"

/** The path of messages to and from the local assistant. */
export const path = "/localassistant/message"

/** What a check needs that depends on whether the assistant is online. */
export const needsAssistant = { needs: ["assistant"] } as const

export const history = (query = "") => Api.get(`${path}${query}`)

export const text = (content: string) => Api.post(path, { content, msg_type: "text" })

/** Runs while `--assistant` says so; otherwise skips the check. */
export const when = (wanted: "online" | "offline", run: Run): Run =>
  Effect.gen(function* () {
    if ((yield* Api.setting("assistant")) !== wanted) return yield* Api.skip(`needs --assistant ${wanted}`)
    return yield* run
  })
