import * as Options from "@effect/cli/Options"
import * as Setting from "@heddle/command-line/Setting"
import type * as ValidationError from "@effect/cli/ValidationError"
import * as Effect from "effect/Effect"
import { defaults, type AgentLimits } from "../config/AgentSettings.ts"

/** `--agent-limit NAME=N`, for one limit each. */
export const all: Options.Options<Partial<AgentLimits>> = Setting.texts(
  "agent-limit",
  `A limit of each agent process to change, like memory=2048: ${shown()} (memory and fileSize in MiB, cpu in seconds)`
).pipe(Options.mapEffect((given) => Effect.map(Effect.forEach(given, parse), (limits) => Object.assign({}, ...limits))))

const parse = (given: string): Effect.Effect<Partial<AgentLimits>, ValidationError.ValidationError> => {
  const [, name = "", value] = /^([A-Za-z]+)=(\d{1,9})$/.exec(given) ?? []
  return Object.hasOwn(defaults, name)
    ? Effect.succeed({ [name]: Number(value) })
    : Effect.fail(
        Setting.invalid(
          `--agent-limit: ${JSON.stringify(given)} is not like memory=2048, with ${Object.keys(defaults).join(", ")}.`
        )
      )
}

function shown(): string {
  return Object.entries(defaults)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ")
}
