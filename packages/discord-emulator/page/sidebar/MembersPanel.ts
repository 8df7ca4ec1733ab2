import { type TemplateResult, html, nothing } from "lit"
import { avatar } from "../widgets/Avatar.ts"
import { nameIn } from "../model/Commands.ts"
import { closeButton } from "../widgets/CloseButton.ts"
import { icons } from "../widgets/Icons.ts"
import { menu, menuItem } from "../widgets/Menu.ts"
import { ChannelType, type Person } from "../model/Types.ts"
import type { View } from "../actions/View.ts"
import { displayName } from "../model/Names.ts"

const USER_COMMAND = 2

/** Shows the members, grouped by their highest hoisted role. */
export const membersPanel = (view: View): unknown => {
  if (!view.state.membersShown) return nothing
  const groups = groupsOf(view)
  return html`<aside class="members" aria-label="Members">
      <header>
        <h2>Members</h2>
        ${closeButton("Close the list of members", () => view.actions.openMembers(false))}
      </header>
      <div class="members-list" tabindex="0" role="group" aria-label="Everybody here">
        ${groups.map(
          ({ name, people }) =>
            html`<section>
              <h3>${name} — ${people.length}</h3>
              <ul>
                ${people.map((person) => html`<li>${member(person, view)}</li>`)}
              </ul>
            </section>`
        )}
      </div>
    </aside>
    <div class="veil members-veil" @click=${() => view.actions.openMembers(false)}></div>`
}

interface Group {
  readonly name: string
  readonly people: ReadonlyArray<Person>
}

const groupsOf = (view: View): ReadonlyArray<Group> => {
  const { botId, channels, me, people, currentChannel, roles } = view.state
  const isDirect = channels.find(({ id }) => id === currentChannel)?.type === ChannelType.direct
  const visible = Object.values(people)
    .filter((person) => person.member !== false && (!isDirect || person.id === me || person.id === botId))
    .sort((a, b) => displayName(a).localeCompare(displayName(b)))
  const online = visible.filter(({ status }) => status !== "offline" && status !== "invisible")
  const hoistedRoles = roles.filter(({ hoist }) => hoist).sort((a, b) => b.position - a.position)
  const roleOf = (person: Person): string | undefined =>
    hoistedRoles.find(({ id }) => person.roles?.includes(id) === true)?.id
  return [
    ...hoistedRoles.map(({ id, name }) => ({ name, people: online.filter((person) => roleOf(person) === id) })),
    { name: "Online", people: online.filter((person) => roleOf(person) === undefined) },
    { name: "Offline", people: visible.filter((person) => !online.includes(person)) }
  ].filter((group) => group.people.length > 0)
}

const member = (person: Person, view: View): TemplateResult => {
  const roles = view.state.roles
    .filter(({ id }) => person.roles?.includes(id) === true)
    .sort((a, b) => b.position - a.position)
  const commands = view.state.commands.filter(({ type }) => type === USER_COMMAND)
  const name = displayName(person)
  const memberLabel = html`<span class="with-status ${person.status ?? ""}">${avatar(person, "small")}</span>
    <span class="name"
      >${name}${person.bot === true ? html` <span class="tag">APP</span>` : nothing}${
        person.id === view.state.guild?.ownerId ? html`<small>owner</small>` : nothing
      }</span
    >`
  return menu(
    "member",
    name,
    memberLabel,
    html`<div class="about" role="presentation">
        <b>${name}</b><small>${person.username}</small>
        ${
          roles.length === 0
            ? html`<small>No roles</small>`
            : html`<span class="roles">
                ${roles.map(
                  (role) =>
                    html`<span class="role"><i style="background:${colorOf(role.color)}"></i>${role.name}</span>`
                )}
              </span>`
        }
      </div>
      ${
        person.id === view.state.botId
          ? menuItem(html`${icons.forum} Send a direct message`, () => void view.actions.openDirect())
          : nothing
      }${menuItem(html`${icons.copy} Copy the id`, () => void navigator.clipboard.writeText(person.id))}${
        commands.length === 0 ? nothing : html`<p class="pop-title" role="presentation">Apps</p>`
      }${commands.map((command) =>
        menuItem(
          html`${icons.slash} ${nameIn(command)}`,
          () => void view.actions.runContextMenuCommand(command.name, { person: person.id })
        )
      )}`,
    false
  )
}

const colorOf = (color: number): string => (color === 0 ? "var(--quiet)" : `#${color.toString(16).padStart(6, "0")}`)
