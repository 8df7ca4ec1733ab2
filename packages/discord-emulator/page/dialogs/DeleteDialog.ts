import { html, nothing } from "lit"
import { ref } from "lit/directives/ref.js"
import type { View } from "../actions/View.ts"
import { markdown } from "../text/Markdown.ts"
import { openDialog } from "./OpenDialog.ts"

/** Asks before a message is deleted. */
export const deleteDialog = (view: View): unknown => {
  const id = view.state.deleting
  const message = view.state.messages[view.state.currentChannel ?? ""]?.list.find((entry) => entry.id === id)
  if (id === undefined || message === undefined) return nothing
  return html`<dialog
    class="modal"
    aria-labelledby="delete-title"
    ${ref(openDialog)}
    @close=${() => view.actions.confirmDelete(undefined)}
  >
    <form
      @submit=${(event: Event) => {
        event.preventDefault()
        void view.actions.remove(message)
      }}
    >
      <header><h2 id="delete-title">Delete this message?</h2></header>
      <div class="fields">
        <blockquote class="markup">
          ${message.content === "" ? "A message without text" : markdown(message.content, view.names)}
        </blockquote>
      </div>
      <footer>
        <button type="button" class="button secondary" @click=${() => view.actions.confirmDelete(undefined)}>
          Keep it
        </button>
        <button type="submit" class="button danger" autofocus>Delete</button>
      </footer>
    </form>
  </dialog>`
}
