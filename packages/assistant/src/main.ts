import * as Command from "@effect/cli/Command"
import { command } from "./Command.ts"
import * as Program from "./internal/Program.ts"

const run = Command.run(command, { name: "heddle-assistant", version: Program.version })

Program.run("heddle-assistant", run(process.argv))
