import type { SessionStore } from "./gateway/SessionStore.ts"
import type { Faults } from "./limits/Faults.ts"
import type { SessionStarts } from "./limits/SessionStarts.ts"
import type { Settings } from "./Settings.ts"
import type { Channels } from "./state/Channels.ts"
import type { Files } from "./state/Files.ts"
import type { Interactions } from "./state/Interactions.ts"
import type { Journal } from "./state/Journal.ts"
import type { Messages } from "./state/Messages.ts"
import type { Render } from "./state/Render.ts"
import type { Signals } from "./state/Signals.ts"
import type { Members } from "./state/Members.ts"
import type { Roles } from "./state/Roles.ts"
import type { Threads } from "./state/Threads.ts"
import type { Webhooks } from "./state/Webhooks.ts"
import type { World } from "./state/World.ts"

/** What the servers and actors of one emulator share. */
export interface Parts {
  readonly settings: Settings
  readonly world: World
  readonly files: Files
  readonly render: Render
  readonly signals: Signals
  readonly messages: Messages
  readonly channels: Channels
  readonly threads: Threads
  readonly roles: Roles
  readonly members: Members
  readonly webhooks: Webhooks
  readonly interactions: Interactions
  readonly faults: Faults
  readonly starts: SessionStarts
  readonly journal: Journal
  readonly sessionStore: SessionStore
  /** The origin that answers, such as `http://127.0.0.1:4320`. */
  readonly origin: () => string
}
