import { render } from "lit"
import { makeActing } from "./actions/Actions.ts"
import { makeApi } from "./api/Api.ts"
import { app } from "./App.ts"
import { fitting, makeComposing } from "./actions/ComposerActions.ts"
import { makeConnection } from "./api/Connection.ts"
import {
  type Theme,
  applyTheme,
  keepDrafts,
  keptDismissed,
  keptDrafts,
  keptMembersShown,
  keptTheme
} from "./api/LocalStorage.ts"
import { FileThumb } from "./widgets/FileThumb.ts"
import { readPlace, writePlace } from "./model/Address.ts"
import { makeScroller } from "./widgets/Scroller.ts"
import { SelectMenu } from "./widgets/SelectMenu.ts"
import type { State } from "./model/State.ts"
import { makeStore } from "./model/Store.ts"
import { ChannelType } from "./model/Types.ts"
import { TextPreview } from "./widgets/TextPreview.ts"
import { type View, displayName } from "./actions/View.ts"

const root = document.getElementById("app")
if (root === null) throw new Error("index.html has no #app")

const store = makeStore({ drafts: keptDrafts(), gone: keptDismissed(), members: keptMembersShown() })
const api = makeApi(() => store.state().me)
const connection = makeConnection(store, api.eventsUrl)
const acting = makeActing(store, api, (channel) => {
  location.hash = hrefOf(channel)
})

// Whom the address names; nobody means the first person of the server.
let person = readPlace(location.hash).person
let theme: Theme = keptTheme()
let missed = 0
let scheduled = false

// Not with the next frame but before the next event: the next key must meet what this one made, and a hidden tab, which
// has no frames, still counts what is new in its title.
const schedule = (): void => {
  if (scheduled) return
  scheduled = true
  queueMicrotask(draw)
}

const scroller = makeScroller(
  (atEnd) => {
    if (atEnd) missed = 0
    schedule()
  },
  () => {
    const place = store.state().place
    if (place !== undefined) void acting.loadOlder(place)
  }
)

// The field may be one that the last action brings about, so this draws first.
const focusOn = (to: "text" | "option"): void => {
  draw()
  const focused = store.state().drafts[store.state().place ?? ""]?.command?.focused
  const field = document.querySelector<HTMLElement>(
    to === "text" ? "#text, .command-name" : `[data-option="${CSS.escape(focused ?? "")}"]`
  )
  field?.focus()
}

const composing = makeComposing(store, api, focusOn)

function hrefOf(channel: string, person = readPlace(location.hash).person): string {
  return writePlace({ channel, person })
}

const viewOf = (state: State): View => ({
  state,
  now: new Date(),
  acting,
  composing,
  theme,
  hrefOf,
  setTheme: (next) => {
    theme = next
    applyTheme(next)
    schedule()
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
    command: composing.chooseByPath
  }
})

function draw(): void {
  scheduled = false
  const state = store.state()
  if (root === null) return
  render(app(viewOf(state), scroller, missed, fitting(store)), root)
  for (const area of root.querySelectorAll<HTMLTextAreaElement>("textarea")) fit(area)
  scroller.settle(state.messages[state.place ?? ""]?.list[0]?.id)
  const channel = state.channels.find((entry) => entry.id === state.place)
  const mark = state.unread.size > 0 ? `(${state.unread.size}) ` : ""
  document.title = `${mark}${channel === undefined ? "" : `${channel.name} • `}${state.guild?.name ?? "Local server"}`
}

// The box is as high as its text; the style sheet sets the limit.
function fit(area: HTMLTextAreaElement): void {
  if (area.closest("dialog") !== null) return
  area.style.height = "0"
  area.style.height = `${area.scrollHeight}px`
}

const loadPlace = (): void => {
  const { place, messages, connection: status } = store.state()
  if (place === undefined || status !== "live") return
  const known = messages[place]
  if (known === undefined || known.stale) void acting.load(place)
}

// Follows the address: another person means another connection, another channel another list.
const follow = (): void => {
  const wanted = readPlace(location.hash)
  if (wanted.person !== person) {
    person = wanted.person
    store.dispatch({ type: "forget" })
    connection.open(person)
  }
  const { place, channels } = store.state()
  const target = wanted.channel ?? (channels.find((channel) => channel.type === ChannelType.text) ?? channels[0])?.id
  if (target !== undefined && target !== place) {
    store.dispatch({ type: "visit", place: target })
    scroller.restart()
    // On a touch screen this would open the keyboard over what the person came to read.
    if (!matchMedia("(pointer: coarse)").matches) focusOn("text")
  }
  loadPlace()
}

store.subscribe((state, before, action) => {
  if (state.drafts !== before.drafts) keepDrafts(state.drafts)
  if (action.type === "snapshot") follow()
  if (action.type === "message" && action.fresh && action.message.channel_id === state.place) {
    const mine = action.message.author.id === state.me
    if (mine) scroller.restart()
    else if (!scroller.atEnd()) missed += 1
  }
  if (action.type === "pending") scroller.restart()
  if (action.type === "editing" && state.editing !== undefined && before.editing?.message !== state.editing.message) {
    requestAnimationFrame(() => {
      const area = document.querySelector<HTMLTextAreaElement>(".editor textarea")
      area?.focus()
      area?.setSelectionRange(area.value.length, area.value.length)
    })
  }
  const closed =
    (before.editing !== undefined && state.editing === undefined) ||
    (before.modal !== undefined && state.modal === undefined) ||
    (before.deleting !== undefined && state.deleting === undefined) ||
    (before.making !== undefined && state.making === undefined)
  if (closed) focusOn("text")
  schedule()
})

// Typing signs run out, and "today" becomes "yesterday".
setInterval(() => store.dispatch({ type: "tick", now: Date.now() }), 2000)
addEventListener("hashchange", follow)
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && store.state().drawer) acting.openDrawer(false)
})

customElements.define("file-thumb", FileThumb)
customElements.define("select-menu", SelectMenu)
customElements.define("text-preview", TextPreview)
applyTheme(theme)
draw()
connection.open(person)
