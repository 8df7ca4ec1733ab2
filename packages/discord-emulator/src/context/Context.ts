import type { Faults } from "../faults/Faults.ts"
import type { SessionStarts } from "../limits/SessionStarts.ts"
import type { Settings } from "../settings/Settings.ts"
import type { Channels } from "../resources/channels/Channels.ts"
import type { Files } from "../storage/Files.ts"
import type { Interactions } from "../resources/interactions/Interactions.ts"
import type { Journal } from "../storage/Journal.ts"
import type { Messages } from "../resources/messages/Messages.ts"
import type { Renderer } from "../render/Renderer.ts"
import type { TransientEvents } from "../state/TransientEvents.ts"
import type { Members } from "../resources/guild/Members.ts"
import type { Roles } from "../resources/guild/Roles.ts"
import type { Threads } from "../resources/channels/Threads.ts"
import type { Webhooks } from "../resources/webhooks/Webhooks.ts"
import type { Store } from "../state/Store.ts"

/** What the servers and actors of one emulator share. */
export interface Context {
  readonly settings: Settings
  readonly store: Store
  readonly files: Files
  readonly render: Renderer
  readonly transientEvents: TransientEvents
  readonly messages: Messages
  readonly channels: Channels
  readonly threads: Threads
  readonly roles: Roles
  readonly members: Members
  readonly webhooks: Webhooks
  readonly interactions: Interactions
  readonly faults: Faults
  readonly sessionStarts: SessionStarts
  readonly journal: Journal
  /** The origin of the server, such as `http://127.0.0.1:4320`. */
  readonly origin: () => string
}
