import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

// Every setting is a flag and the environment variable of the same name: `--token-file` and `HEDDLE_TOKEN_FILE`.

/** A text that has to be given. */
export const required = (name: string, description: string): Options.Options<string> => {
  const variable = `HEDDLE_${name.toUpperCase().replaceAll("-", "_")}`
  return Options.text(name).pipe(
    Options.withFallbackConfig(Config.string(variable)),
    Options.withDescription(`${description}. Environment: ${variable}`)
  )
}

/** A text that may be left out. */
export const optional = (name: string, description: string): Options.Options<Option.Option<string>> =>
  Options.optional(required(name, description))

/** A whole number of seconds from 1 up. */
export const seconds = (name: string, description: string): Options.Options<Option.Option<number>> =>
  optional(name, description).pipe(
    Options.mapEffect(
      Option.match({
        onNone: () => Effect.succeedNone,
        onSome: (given) =>
          /^[1-9]\d{0,9}$/.test(given)
            ? Effect.succeedSome(Number(given))
            : invalid(name, given, "a whole number of seconds from 1 up")
      })
    )
  )

/** One of a few words. */
export const choice = <const A extends string>(
  name: string,
  choices: readonly [A, ...ReadonlyArray<A>],
  description: string
): Options.Options<A> =>
  optional(name, `${description}: ${choices.join(", ")}`).pipe(
    Options.mapEffect((given) => {
      const word = Option.getOrElse(given, () => choices[0])
      const chosen = choices.find((each) => each === word)
      return chosen === undefined ? invalid(name, word, `one of ${choices.join(", ")}`) : Effect.succeed(chosen)
    })
  )

const invalid = (name: string, given: string, expected: string) =>
  Effect.fail(ValidationError.invalidValue(HelpDoc.p(`--${name}: ${JSON.stringify(given)} is not ${expected}.`)))
