import * as Effect from "effect/Effect"
import * as Api from "./Api.ts"
import { needing, type Check } from "./Check.ts"

/** The path of messages to and from the local assistant. */
export const path = "/localassistant/message"

export const history = (query = "") => Api.get(`${path}${query}`)

export const text = (content: string) => Api.post(path, { content, msg_type: "text" })

/** Skips these checks unless `--assistant` says so. */
export const when = (wanted: "online" | "offline", checks: ReadonlyArray<Check>): ReadonlyArray<Check> =>
  needing(["assistant"], checks).map((check) => ({
    ...check,
    run: Effect.flatMap(Api.setting("assistant"), (assistant) =>
      assistant === wanted ? check.run : Api.skip(`needs --assistant ${wanted}`)
    )
  }))
