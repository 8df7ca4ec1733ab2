import * as Options from "@effect/cli/Options"
import * as Setting from "@heddle/command-line/Setting"
import * as Option from "effect/Option"
import { choices, switches, type ContractOptions } from "../config/ContractOptions.ts"

/** One flag per contract option, by the same name: `errorShape` is `--error-shape`. */
export const all: Options.Options<Partial<ContractOptions>> = Options.map(
  Options.all([
    ...Object.entries(choices).map(([name, { description, values }]) =>
      Options.map(
        Setting.choice<string>(flag(name), values, description),
        Option.match({ onNone: () => ({}), onSome: (value) => ({ [name]: value }) })
      )
    ),
    ...Object.entries(switches).map(([name, { description }]) =>
      Options.map(Setting.flag(flag(name), description), (on) => ({ [name]: on }))
    )
  ]),
  (given) => Object.assign({}, ...given) as Partial<ContractOptions>
)

function flag(name: string): string {
  return name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)
}
