import * as Command from "@effect/cli/Command"
import * as Manifest from "@heddle/command-line/Manifest"
import * as Program from "@heddle/command-line/Program"
import * as AppCommand from "./cli/AppCommand.ts"
import * as AuditCommand from "./cli/AuditCommand.ts"
import * as BackupCommand from "./cli/BackupCommand.ts"
import * as CodeCommand from "./cli/CodeCommand.ts"
import * as AssistantCommand from "./cli/AssistantCommand.ts"
import * as GrantCommand from "./cli/GrantCommand.ts"
import * as ServeCommand from "./cli/ServeCommand.ts"
import * as TaskCommand from "./cli/TaskCommand.ts"
import * as UserCommand from "./cli/UserCommand.ts"
import * as VoucherCommand from "./cli/VoucherCommand.ts"

// Whatever this process and its agents write is their owner's alone.
process.umask(0o077)

const command = Command.make("heddle-server").pipe(
  Command.withDescription("The Open API as a runnable service"),
  Command.withSubcommands([
    ServeCommand.command,
    AppCommand.command,
    UserCommand.command,
    CodeCommand.command,
    VoucherCommand.command,
    GrantCommand.command,
    TaskCommand.command,
    AssistantCommand.command,
    AuditCommand.command,
    BackupCommand.command
  ]),
  Command.run({ name: "heddle-server", version: Manifest.version(import.meta.resolve("@heddle/server/package.json")) })
)

Program.run("heddle-server", command(process.argv))
