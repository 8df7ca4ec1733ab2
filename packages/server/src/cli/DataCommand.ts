import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Output from "@heddle/command-line/Output"
import * as Setting from "@heddle/command-line/Setting"
import * as Effect from "effect/Effect"
import * as Administration from "../Administration.ts"
import * as StateFolder from "../internal/StateFolder.ts"

/** `--data`: the folder that keeps everything. */
export const data: Options.Options<string> = Setting.required("data", "The folder that keeps everything").pipe(
  Options.withDefault(StateFolder.defaultPath())
)

/** A command that administers what is in the folder of `--data`, and prints JSON with `--json`. */
export const make = <Name extends string, const Config extends Command.Command.Config, E>(
  name: Name,
  description: string,
  config: Config,
  run: (
    given: Command.Command.ParseConfig<Config>,
    output: Output.Output
  ) => Effect.Effect<void, E, Administration.Administered>
) =>
  Command.make(
    name,
    { given: config, data, json: Setting.flag("json", "Print JSON, one object per line") },
    ({ data, given, json }) =>
      Effect.provide(run(given as Command.Command.ParseConfig<Config>, Output.make(json)), Administration.layer(data))
  ).pipe(Command.withDescription(description))
