import * as Command from "@effect/cli/Command"
import * as Manifest from "@heddle/command-line/Manifest"
import * as AppCommand from "./AppCommand.ts"
import * as AssistantCommand from "./AssistantCommand.ts"
import * as AuditCommand from "./AuditCommand.ts"
import * as BackupCommand from "./BackupCommand.ts"
import * as CodeCommand from "./CodeCommand.ts"
import * as GrantCommand from "./GrantCommand.ts"
import * as ServeCommand from "./ServeCommand.ts"
import * as TaskCommand from "./TaskCommand.ts"
import * as UserCommand from "./UserCommand.ts"
import * as VoucherCommand from "./VoucherCommand.ts"

/** `heddle-server` with the arguments of its process. */
export const run = Command.make("heddle-server").pipe(
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
