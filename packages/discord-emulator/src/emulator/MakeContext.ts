import type { Context } from "../context/Context.ts"
import { Faults } from "../faults/Faults.ts"
import { makeSessionStarts } from "../limits/SessionStarts.ts"
import { makeRenderer } from "../render/Renderer.ts"
import { makeChannels } from "../resources/channels/Channels.ts"
import { makeThreads } from "../resources/channels/Threads.ts"
import { makeMembers } from "../resources/guild/Members.ts"
import { makeRoles } from "../resources/guild/Roles.ts"
import { makeInteractions } from "../resources/interactions/Interactions.ts"
import { makeMessages } from "../resources/messages/Messages.ts"
import { makeWebhooks } from "../resources/webhooks/Webhooks.ts"
import type { Settings } from "../settings/Settings.ts"
import { TransientEvents } from "../state/TransientEvents.ts"
import type { OpenedStore } from "./OpenStore.ts"

/** Makes what the servers and actors share; `origin` is known once the server listens. */
export const makeContext = (
  settings: Settings,
  { files, journal, store }: OpenedStore,
  origin: () => string
): Context => {
  const render = makeRenderer(store, origin)
  const transientEvents = new TransientEvents()
  const messages = makeMessages({ store, files })
  const threads = makeThreads({ store, messages })
  const firstResponseMs = settings.interactionMs
  return {
    settings,
    store,
    files,
    render,
    transientEvents,
    messages,
    channels: makeChannels(store),
    threads,
    roles: makeRoles(store),
    members: makeMembers(store),
    webhooks: makeWebhooks({ store, messages, threads }),
    interactions: makeInteractions({ store, messages, render, transientEvents, firstResponseMs }),
    faults: new Faults(settings.seed),
    sessionStarts: makeSessionStarts(settings.limits, settings.clock.now),
    journal,
    origin
  }
}
