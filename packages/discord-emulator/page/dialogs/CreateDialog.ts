import { html, nothing } from "lit"
import { ref } from "lit/directives/ref.js"
import { closeButton } from "../widgets/CloseButton.ts"
import { icons } from "../widgets/Icons.ts"
import { openDialog } from "./OpenDialog.ts"
import { ChannelType, type ForumTag } from "../model/Types.ts"
import type { View } from "../actions/View.ts"

const MAX_TAGS = 5

/** Asks what a new post of a forum, or a new thread at a message, shall be. */
export const createDialog = (view: View): unknown => {
  const { newThread } = view.state
  const channel = view.state.channels.find(({ id }) => id === newThread?.channel)
  if (newThread === undefined || channel === undefined) return nothing
  const forum = channel.type === ChannelType.forum
  const title = forum ? `A new post in ${channel.name}` : "A new thread"
  return html`<dialog
    class="modal"
    aria-labelledby="new-thread-title"
    ${ref(openDialog)}
    @close=${view.actions.closeNewThread}
    @drop=${(event: Event) => event.stopPropagation()}
  >
    <form
      @submit=${(event: SubmitEvent) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget as HTMLFormElement)
        void view.actions.createThread({
          title: String(form.get("title") ?? "").trim(),
          content: String(form.get("content") ?? "").trim(),
          tags: form.getAll("tag").map(String),
          files: form.getAll("files").filter((file) => file instanceof File && file.name !== "") as Array<File>
        })
      }}
    >
      <header>
        <h2 id="new-thread-title">${title}</h2>
        ${closeButton("Close", view.actions.closeNewThread)}
      </header>
      <div class="fields">
        <div class="field">
          <label class="field-label" for="new-thread-name">${forum ? "Title" : "Name of the thread"}</label>
          <input id="new-thread-name" name="title" type="text" required maxlength="100" autocomplete="off" autofocus />
        </div>
        ${
          forum
            ? html`<div class="field">
                  <label class="field-label" for="new-thread-text">Message</label>
                  <textarea id="new-thread-text" name="content" rows="5" required maxlength="2000"></textarea>
                </div>
                ${tagChoice(channel.tags ?? [])}
                <div class="field">
                  <label class="field-label" for="new-thread-files">Files</label>
                  <input id="new-thread-files" name="files" type="file" multiple />
                </div>`
            : nothing
        }
      </div>
      ${newThread.error === undefined ? nothing : html`<p class="refused" role="alert">${icons.warning} ${newThread.error}</p>`}
      <footer>
        <button type="button" class="button secondary" @click=${view.actions.closeNewThread}>Cancel</button>
        <button type="submit" class="button primary ${newThread.sending ? "busy" : ""}" ?disabled=${newThread.sending}>
          ${forum ? "Post" : "Create the thread"}
        </button>
      </footer>
    </form>
  </dialog>`
}

const tagChoice = (tags: ReadonlyArray<ForumTag>): unknown =>
  tags.length === 0
    ? nothing
    : html`<fieldset class="field tags">
        <legend class="field-label">Tags, at most ${MAX_TAGS}</legend>
        ${tags.map(
          (tag) =>
            html`<label class="choice"
              ><input type="checkbox" name="tag" value=${tag.id} />
              <span>${tag.emoji_name ?? nothing} ${tag.name}</span></label
            >`
        )}
      </fieldset>`
