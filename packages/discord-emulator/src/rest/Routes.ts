import type { Parts } from "../context/Context.ts"
import type { Route } from "./routing/Router.ts"
import { applicationRoutes } from "./routes/Applications.ts"
import { channelRoutes } from "./routes/Channels.ts"
import { guildRoutes } from "./routes/Guilds.ts"
import { interactionRoutes } from "./routes/Interactions.ts"
import { memberRoutes } from "./routes/Members.ts"
import { messageRoutes } from "./routes/Messages.ts"
import { pinRoutes } from "./routes/Pins.ts"
import { reactionRoutes } from "./routes/Reactions.ts"
import { roleRoutes } from "./routes/Roles.ts"
import { threadRoutes } from "./routes/Threads.ts"
import { userRoutes } from "./routes/Users.ts"
import { webhookRoutes } from "./routes/Webhooks.ts"

/** Every route of the API; where two fit, the first wins. */
export const routesOf = (parts: Parts): ReadonlyArray<Route> => [
  ...userRoutes(parts),
  ...applicationRoutes(parts),
  ...guildRoutes(parts),
  ...roleRoutes(parts),
  ...memberRoutes(parts),
  ...channelRoutes(parts),
  ...pinRoutes(parts),
  ...messageRoutes(parts),
  ...reactionRoutes(parts),
  ...threadRoutes(parts),
  ...interactionRoutes(parts),
  ...webhookRoutes(parts)
]
