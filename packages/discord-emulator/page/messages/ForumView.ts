import { type TemplateResult, html, nothing } from "lit"
import { avatar } from "../widgets/Avatar.ts"
import { icons } from "../widgets/Icons.ts"
import { markdown } from "../text/Markdown.ts"
import { byId } from "../model/State.ts"
import { messageTime } from "../text/Time.ts"
import type { Channel } from "../model/Types.ts"
import type { View } from "../actions/View.ts"
import { displayName } from "../model/Names.ts"

const PINNED = 1 << 1
const EPOCH = 1_420_070_400_000n

/** Shows a forum: its posts, the newest first, and the way to a new one. */
export const forumView = (view: View, forum: Channel): TemplateResult => {
  const posts = view.state.channels.filter(({ parentId }) => parentId === forum.id).toSorted((a, b) => byId(b, a))
  const pinned = posts.filter(isPinned)
  const open = posts.filter((post) => post.archived !== true && !isPinned(post))
  const archived = posts.filter((post) => post.archived === true && !isPinned(post))
  return html`<div class="scroll forum" tabindex="0" role="region" aria-label="Posts of ${forum.name}">
    <div class="forum-head">
      <div>
        <h3>${forum.name}</h3>
        ${forum.topic === undefined ? nothing : html`<p>${markdown(forum.topic, view.names)}</p>`}
      </div>
      ${
        forum.canSend === false
          ? html`<p>You may read here, but not open posts.</p>`
          : html`<button type="button" class="button primary" @click=${() => view.actions.openNewThread(forum.id)}>
              ${icons.plus} New post
            </button>`
      }
    </div>
    ${posts.length === 0 ? html`<p class="empty">There are no posts yet.</p>` : nothing}
    <ul class="posts">
      ${[...pinned, ...open].map((post) => html`<li>${postCard(post, forum, view)}</li>`)}
    </ul>
    ${
      archived.length === 0
        ? nothing
        : html`<h4>Archived</h4>
            <ul class="posts">
              ${archived.map((post) => html`<li>${postCard(post, forum, view)}</li>`)}
            </ul>`
    }
  </div>`
}

const isPinned = (post: Channel): boolean => ((post.flags ?? 0) & PINNED) !== 0

const postCard = (post: Channel, forum: Channel, view: View): TemplateResult => {
  const author = view.state.people[post.ownerId ?? ""]
  const tags = (forum.tags ?? []).filter(({ id }) => post.appliedTags?.includes(id) === true)
  const unread = view.state.unread.has(post.id)
  return html`<a class="post ${unread ? "unread" : ""}" href=${view.hrefOf(post.id)}>
    ${
      tags.length === 0
        ? nothing
        : html`<span class="roles">
            ${tags.map((tag) => html`<span class="role">${tag.emoji_name ?? nothing} ${tag.name}</span>`)}
          </span>`
    }
    <b>${post.name}</b>
    <span class="post-by">
      ${author === undefined ? nothing : html`${avatar(author, "small")} ${displayName(author)} •`}
      ${messageTime(createdAt(post), view.now)}
      ${isPinned(post) ? html`<span class="tag quiet">pinned</span>` : nothing}
      ${post.locked === true ? html`<span class="tag quiet">locked</span>` : nothing}
      ${unread ? html`<span class="dot"><span class="hidden">unread</span></span>` : nothing}
    </span>
  </a>`
}

// An id carries the time at which it was given out.
const createdAt = ({ id }: Channel): Date => new Date(Number((BigInt(id) >> 22n) + EPOCH))
