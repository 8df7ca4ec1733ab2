import * as Effect from "effect/Effect"
import * as Api from "./Api.ts"
import { needing, type Check } from "./Check.ts"

/** The path of messages to and from the local assistant. */
export const messagePath = "/localassistant/message"

export const history = (query = "") => Api.get(`${messagePath}${query}`)

export const textMessage = (content: string) => Api.post(messagePath, { content, msg_type: "text" })

/** Skips these checks unless `--assistant` has this state. */
export const whenAssistant = (state: "online" | "offline", checks: ReadonlyArray<Check>): ReadonlyArray<Check> =>
  needing(["assistant"], checks).map((check) => ({
    ...check,
    run: Effect.flatMap(Api.setting("assistant"), (assistant) =>
      assistant === state ? check.run : Api.skip(`needs --assistant ${state}`)
    )
  }))
