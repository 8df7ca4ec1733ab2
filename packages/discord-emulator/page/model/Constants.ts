import type { ButtonStyle as Style, ComponentType as Kind, TextInputStyle as InputStyle } from "discord-api-types/v10"

// The types package is CommonJS: importing these numbers would bundle all of it.

/** The numbers of the components that the page shows. */
export const ComponentType = {
  ActionRow: 1 as Kind.ActionRow,
  Button: 2 as Kind.Button,
  StringSelect: 3 as Kind.StringSelect,
  TextInput: 4 as Kind.TextInput,
  UserSelect: 5 as Kind.UserSelect,
  RoleSelect: 6 as Kind.RoleSelect,
  MentionableSelect: 7 as Kind.MentionableSelect,
  ChannelSelect: 8 as Kind.ChannelSelect,
  Section: 9 as Kind.Section,
  TextDisplay: 10 as Kind.TextDisplay,
  Thumbnail: 11 as Kind.Thumbnail,
  MediaGallery: 12 as Kind.MediaGallery,
  File: 13 as Kind.File,
  Separator: 14 as Kind.Separator,
  Container: 17 as Kind.Container,
  Label: 18 as Kind.Label,
  FileUpload: 19 as Kind.FileUpload,
  RadioGroup: 21 as Kind.RadioGroup,
  CheckboxGroup: 22 as Kind.CheckboxGroup,
  Checkbox: 23 as Kind.Checkbox
} as const

/** The numbers of the button styles. */
export const ButtonStyle = {
  Primary: 1 as Style.Primary,
  Secondary: 2 as Style.Secondary,
  Success: 3 as Style.Success,
  Danger: 4 as Style.Danger,
  Link: 5 as Style.Link
} as const

/** The number of the text field with several lines. */
export const PARAGRAPH: InputStyle.Paragraph = 2 as InputStyle.Paragraph
