import type { Context } from "../context/Context.ts"
import type { Route } from "./routing/Router.ts"
import { applicationRoutes } from "./routes/Applications.ts"
import { archivedThreadRoutes } from "./routes/ArchivedThreads.ts"
import { channelRoutes } from "./routes/Channels.ts"
import { commandRoutes } from "./routes/Commands.ts"
import { guildRoutes } from "./routes/Guilds.ts"
import { interactionRoutes } from "./routes/Interactions.ts"
import { memberRoutes } from "./routes/Members.ts"
import { messageRoutes } from "./routes/Messages.ts"
import { pinRoutes } from "./routes/Pins.ts"
import { reactionRoutes } from "./routes/Reactions.ts"
import { roleRoutes } from "./routes/Roles.ts"
import { threadRoutes } from "./routes/Threads.ts"
import { userRoutes } from "./routes/Users.ts"
import { webhookMessageRoutes, webhookRoutes } from "./routes/Webhooks.ts"

/** Every route of the API; the first match wins. */
export const makeRoutes = (context: Context): ReadonlyArray<Route> => [
  ...userRoutes(context),
  ...applicationRoutes(context),
  ...commandRoutes(context),
  ...guildRoutes(context),
  ...roleRoutes(context),
  ...memberRoutes(context),
  ...channelRoutes(context),
  ...pinRoutes(context),
  ...messageRoutes(context),
  ...reactionRoutes(context),
  ...threadRoutes(context),
  ...archivedThreadRoutes(context),
  ...interactionRoutes(context),
  ...webhookRoutes(context),
  ...webhookMessageRoutes(context)
]
