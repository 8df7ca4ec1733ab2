/** A Discord message that should exist, as plain data: no Discord type, no bytes. */
export interface Post {
  /** Stable within a turn: the same key is the same message for as long as the turn lives, or the thread for a card. */
  readonly key: string
  readonly content: string
  readonly embeds: ReadonlyArray<Embed>
  /** At most five rows: of up to five buttons each, or of one select. */
  readonly buttons: ReadonlyArray<ReadonlyArray<Control>>
  readonly files: ReadonlyArray<FileRef>
}

/** A boxed part of a post; the limits of Discord are kept by whoever makes one. */
export interface Embed {
  readonly title?: string
  readonly description?: string
  readonly color?: number
  readonly footer?: string
  /** The name of a file of the same post that is shown as the picture. */
  readonly image?: string
  /** The address of a small picture beside the text. */
  readonly thumbnail?: string
}

/** A part of a row: up to five buttons, or one list alone. */
export type Control = Button | Picker | Select

/** Something to press: with a `url` it opens a page, otherwise it comes back as an interaction. */
export interface Button {
  readonly label: string
  readonly style: "primary" | "secondary" | "success" | "danger"
  readonly customId?: string
  readonly url?: string
}

/** A list to choose from; it comes back as an interaction with the values of what was chosen. */
export interface Select {
  readonly customId: string
  readonly placeholder: string
  /** How many may be chosen. */
  readonly atLeast: number
  readonly atMost: number
  /** At most 25. */
  readonly options: ReadonlyArray<{
    readonly value: string
    readonly label: string
    readonly description?: string
    readonly chosen: boolean
  }>
}

/** A list of what the server has to choose from: its people, its people and roles, or its channels for text. */
export interface Picker {
  readonly customId: string
  readonly placeholder: string
  readonly picks: "channels" | "people" | "peopleAndRoles"
  /** How many may be chosen. */
  readonly atLeast: number
  readonly atMost: number
  readonly chosen: ReadonlyArray<{ readonly id: string; readonly is: "channel" | "role" | "user" }>
}

/** A form with one to five fields to write in; it comes back as an interaction with the texts. */
export interface Modal {
  readonly customId: string
  /** At most 45 characters. */
  readonly title: string
  readonly fields: ReadonlyArray<Field>
}

/** A field of a form. */
export interface Field {
  /** By which what was written comes back. */
  readonly id: string
  /** At most 45 characters. */
  readonly label: string
  /** At most 100 characters. */
  readonly description?: string
  /** What the field says at first. */
  readonly value: string
  readonly required: boolean
  /** Bounds of its length. */
  readonly atLeast: number
  readonly atMost: number
  /** Several lines. */
  readonly long: boolean
}

/** A file of the session that the post carries; its bytes are fetched when the post is sent. */
export interface FileRef {
  /** A safe file name, unique in the post. */
  readonly name: string
  readonly uri: string
  /** Changes when the content does. */
  readonly version: string
  /** What is in it, when it is text that the bot itself has and nothing has to be fetched. */
  readonly text?: string
  /** A part of a file that is too large; the post goes without it when it cannot be made. */
  readonly preview?: "image" | "text"
}

/** The key of the one post that shows an artifact, in all turns of a thread. */
export const cardKey = (uri: string): string => `card:${uri}`

export const isCard = (key: string): boolean => key.startsWith("card:")

/** A post of text alone. */
export const text = (key: string, content: string): Post => ({ key, content, embeds: [], buttons: [], files: [] })

/** A post of one box and nothing else. */
export const box = (key: string, embed: Embed): Post => ({ key, content: "", embeds: [embed], buttons: [], files: [] })
