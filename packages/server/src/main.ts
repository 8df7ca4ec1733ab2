import * as Program from "@heddle/command-line/Program"
import * as ServerCommand from "./cli/ServerCommand.ts"

// Whatever this process and its agents write is their owner's alone.
process.umask(0o077)

Program.run("heddle-server", ServerCommand.run(process.argv))
