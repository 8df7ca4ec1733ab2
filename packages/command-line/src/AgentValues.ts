import type * as ValidationError from "@effect/cli/ValidationError"
import * as Effect from "effect/Effect"
import * as Setting from "./Setting.ts"

/** The values of one flag: those for every agent, and those for one. */
export interface AgentValues<A> {
  readonly every: ReadonlyArray<A>
  readonly only: ReadonlyMap<string, ReadonlyArray<A>>
}

/** How the values of a flag are read; `expected` ends the sentence about an invalid one. */
export interface Reader<A> {
  readonly flag: string
  readonly expected: string
  /** Returns undefined for an invalid value. */
  readonly read: (text: string) => A | undefined
  /** What a value sets; an agent has one value for it. Undefined where values only add up. */
  readonly subject?: (value: A) => string
}

/** Reads the values of a flag. One for a single agent begins with the agent's name and a colon: `codex:api-key`. */
export const parse = <A>(
  { expected, flag, read, subject }: Reader<A>,
  given: ReadonlyArray<string>,
  agents: ReadonlyArray<string>
): Effect.Effect<AgentValues<A>, ValidationError.ValidationError> =>
  Effect.gen(function* () {
    const every: Array<A> = []
    const only = new Map<string, ReadonlyArray<A>>()
    for (const text of given) {
      const [, agent, rest = text] = /^([a-z][a-z0-9-]*):(.*)$/s.exec(text) ?? []
      if (agent !== undefined && !agents.includes(agent)) {
        return yield* Effect.fail(
          Setting.invalid(`--${flag}: ${JSON.stringify(text)} is for the agent ${agent}. ${known(agents)}`)
        )
      }
      const value = read(rest)
      if (value === undefined) {
        return yield* Effect.fail(Setting.invalid(`--${flag}: ${JSON.stringify(rest)} is not ${expected}.`))
      }
      const others = agent === undefined ? every : (only.get(agent) ?? [])
      if (subject !== undefined && others.some((other) => subject(other) === subject(value))) {
        const holder = agent === undefined ? "" : ` for the agent ${agent}`
        return yield* Effect.fail(Setting.invalid(`--${flag}: ${subject(value)} is given more than once${holder}.`))
      }
      if (agent === undefined) every.push(value)
      else only.set(agent, [...others, value])
    }
    return { every, only }
  })

/** The values for an agent; its own are last. */
export const listFor = <A>({ every, only }: AgentValues<A>, agent: string): ReadonlyArray<A> => [
  ...every,
  ...(only.get(agent) ?? [])
]

/** The value for an agent of a flag that sets one thing. */
export const valueFor = <A>(values: AgentValues<A>, agent: string): A | undefined => listFor(values, agent).at(-1)

const known = (agents: ReadonlyArray<string>): string =>
  `The agents are: ${agents.join(", ")}. An agent gets its name from --agent NAME="COMMAND …".`
