import { render } from "lit"
import { makeActions } from "./actions/Actions.ts"
import { makeApi } from "./api/Api.ts"
import { app } from "./App.ts"
import { makeComposerActions } from "./actions/ComposerActions.ts"
import { matchingCommands } from "./actions/ComposerContext.ts"
import { makeConnection } from "./api/Connection.ts"
import {
  type Theme,
  applyTheme,
  writeDrafts,
  readDismissed,
  readDrafts,
  readMembersShown,
  readTheme
} from "./api/LocalStorage.ts"
import { FileThumb } from "./widgets/FileThumb.ts"
import { readRoute, writeRoute } from "./model/Route.ts"
import { makeScroller } from "./widgets/Scroller.ts"
import { SelectMenu } from "./widgets/SelectMenu.ts"
import type { State } from "./model/State.ts"
import { makeStore } from "./model/Store.ts"
import { ChannelType } from "./model/Types.ts"
import { TextPreview } from "./widgets/TextPreview.ts"
import type { View } from "./actions/View.ts"
import { displayName } from "./model/Names.ts"

const root = document.getElementById("app")
if (root === null) throw new Error("index.html has no #app")

const store = makeStore({ drafts: readDrafts(), deletedIds: readDismissed(), membersShown: readMembersShown() })
const api = makeApi(() => store.state().me)
const connection = makeConnection(store, api.eventsUrl)
const actions = makeActions({
  store,
  api,
  goTo: (channel) => {
    location.hash = hrefOf(channel)
  }
})

// The person in the address; without one, the first person of the server.
let person = readRoute(location.hash).person
let theme: Theme = readTheme()
let missedCount = 0

// Draws before the next event, not with the next frame: the next key needs the current fields. A hidden tab has no
// frames, but counts unread channels in its title.
const scheduleDraw = oncePerTick(draw)

const scroller = makeScroller(
  (atEnd) => {
    if (atEnd) missedCount = 0
    scheduleDraw()
  },
  () => {
    const currentChannel = store.state().currentChannel
    if (currentChannel !== undefined) void actions.loadOlder(currentChannel)
  }
)

// The last action may create the field, so this draws first.
const focusOn = (to: "text" | "option"): void => {
  draw()
  const focused = store.state().drafts[store.state().currentChannel ?? ""]?.command?.focused
  const field = document.querySelector<HTMLElement>(
    to === "text" ? "#text, .command-name" : `[data-option="${CSS.escape(focused ?? "")}"]`
  )
  field?.focus()
}

const composer = makeComposerActions({ store, api, redirectFocus: focusOn })

function hrefOf(channel: string, person = readRoute(location.hash).person): string {
  return writeRoute({ channel, person })
}

const viewOf = (state: State): View => ({
  state,
  now: new Date(),
  actions,
  composer,
  theme,
  hrefOf,
  setTheme: (next) => {
    theme = next
    applyTheme(next)
    scheduleDraw()
  },
  names: {
    user: (id) => {
      const person = state.people[id]
      return person === undefined ? undefined : displayName(person)
    },
    channel: (id) => state.channels.find((channel) => channel.id === id)?.name,
    role: (id) => state.roles.find((role) => role.id === id)?.name,
    locale: state.locale,
    channelHref: (id) => hrefOf(id),
    command: composer.chooseByPath
  }
})

/** Runs a task once before the next event, however often the result is called. */
function oncePerTick(task: () => void): () => void {
  let isScheduled = false
  return () => {
    if (isScheduled) return
    isScheduled = true
    queueMicrotask(() => {
      isScheduled = false
      task()
    })
  }
}

function draw(): void {
  const state = store.state()
  if (root === null) return
  render(app(viewOf(state), scroller, missedCount, matchingCommands(store)), root)
  for (const area of root.querySelectorAll<HTMLTextAreaElement>("textarea")) fitHeight(area)
  scroller.settle(state.messages[state.currentChannel ?? ""]?.list[0]?.id)
  const channel = state.channels.find((entry) => entry.id === state.currentChannel)
  const unreadPrefix = state.unread.size > 0 ? `(${state.unread.size}) ` : ""
  document.title = `${unreadPrefix}${channel === undefined ? "" : `${channel.name} • `}${state.guild?.name ?? "Local server"}`
}

// The box is as high as its text; the style sheet sets the limit.
function fitHeight(area: HTMLTextAreaElement): void {
  if (area.closest("dialog") !== null) return
  area.style.height = "0"
  area.style.height = `${area.scrollHeight}px`
}

const loadCurrentChannel = (): void => {
  const { currentChannel, messages, connection: status } = store.state()
  if (currentChannel === undefined || status !== "live") return
  const loaded = messages[currentChannel]
  if (loaded === undefined || loaded.stale) void actions.load(currentChannel)
}

// Follows the address: connects as another person, or shows another channel.
const followRoute = (): void => {
  const route = readRoute(location.hash)
  if (route.person !== person) {
    person = route.person
    store.dispatch({ type: "person_switched" })
    connection.open(person)
  }
  const { currentChannel, channels } = store.state()
  const target = route.channel ?? (channels.find((channel) => channel.type === ChannelType.text) ?? channels[0])?.id
  if (target !== undefined && target !== currentChannel) {
    store.dispatch({ type: "channel_opened", currentChannel: target })
    scroller.restart()
    // On a touch screen this would open the keyboard over what the person came to read.
    if (!matchMedia("(pointer: coarse)").matches) focusOn("text")
  }
  loadCurrentChannel()
}

store.subscribe((state, before, action) => {
  if (state.drafts !== before.drafts) writeDrafts(state.drafts)
  if (action.type === "snapshot") followRoute()
  if (action.type === "message" && action.isCreated && action.message.channel_id === state.currentChannel) {
    const isOwn = action.message.author.id === state.me
    if (isOwn) scroller.restart()
    else if (!scroller.atEnd()) missedCount += 1
  }
  if (action.type === "pending") scroller.restart()
  if (action.type === "editing" && state.editing !== undefined && before.editing?.message !== state.editing.message) {
    requestAnimationFrame(() => {
      const area = document.querySelector<HTMLTextAreaElement>(".editor textarea")
      area?.focus()
      area?.setSelectionRange(area.value.length, area.value.length)
    })
  }
  const hasClosed =
    (before.editing !== undefined && state.editing === undefined) ||
    (before.modal !== undefined && state.modal === undefined) ||
    (before.deleting !== undefined && state.deleting === undefined) ||
    (before.newThread !== undefined && state.newThread === undefined)
  if (hasClosed) focusOn("text")
  scheduleDraw()
})

// Typing signs run out, and "today" becomes "yesterday".
setInterval(() => store.dispatch({ type: "tick", now: Date.now() }), 2000)
addEventListener("hashchange", followRoute)
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && store.state().drawer) actions.openDrawer(false)
})

customElements.define("file-thumb", FileThumb)
customElements.define("select-menu", SelectMenu)
customElements.define("text-preview", TextPreview)
applyTheme(theme)
draw()
connection.open(person)
