import * as Command from "@effect/cli/Command"
import * as Program from "../cli/Program.ts"
import * as RunAssistantCommand from "../cli/RunAssistantCommand.ts"

const command = Command.run(RunAssistantCommand.command, { name: "heddle-assistant", version: Program.version })

Program.run("heddle-assistant", command(process.argv))
