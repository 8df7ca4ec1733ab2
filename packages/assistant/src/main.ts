import * as Command from "@effect/cli/Command"
import * as Manifest from "@heddle/command-line/Manifest"
import * as Program from "@heddle/command-line/Program"
import { command } from "./Command.ts"

const version = Manifest.version(import.meta.resolve("@heddle/assistant/package.json"))
const run = Command.run(command, { name: "heddle-assistant", version })

Program.run("heddle-assistant", run(process.argv))
