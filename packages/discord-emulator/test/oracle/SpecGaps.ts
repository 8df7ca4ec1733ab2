/** A place where Discord's description differs from what Discord does, and how one knows. */
export interface SpecGap {
  readonly operation: RegExp
  /** Matched against the place and what is wrong there. */
  readonly at: RegExp
  readonly why: string
}

/** What the oracle does not count. Everything here is a fault of the description, none of the emulator. */
export const specGaps: ReadonlyArray<SpecGap> = [
  {
    operation: /./,
    at: /^request (\.data|\.message)?\.(tts|enforce_nonce|username|attachments\.\d+\.\w+|embeds\.\d+\.\w+\.\w+): no such field$/,
    why: "discord.js sends one form of message everywhere, with all that it knows of files and pictures; Discord leaves aside what a route does not take."
  },
  {
    operation:
      /^(POST \/channels\/\{channel_id\}\/messages\/\{message_id\}\/threads|PUT \/channels\/\{channel_id\}\/permissions)/,
    at: /^request \.(type|id): no such field$/,
    why: "discord.js sends the type of a thread and the id of an overwrite where the path says both."
  },
  {
    operation: /^POST \/channels\/\{channel_id\}\/threads$/,
    at: /^(request|response 201) \.message(\.\w+)?: no such field$/,
    why: "A post comes with its first message (docs: resources/channel, start thread in forum or media channel); the alternatives of the description overlap."
  },
  {
    operation: /^PATCH \/applications\/@me$/,
    at: /^request \.description: /,
    why: "The description of an application is a text (docs: resources/application, edit current application); the specification wants an object."
  },
  {
    operation: /./,
    at: /\.message_reference\.type: /,
    why: "Forwards have the type 1 (docs: resources/message, message reference types); the description knows 0 only."
  },
  {
    operation: /./,
    at: /^response 4\d\d \.errors(\.\w+)*\._errors(\.\d+\.code)?: /,
    why: "Codes of form errors are words such as BASE_TYPE_REQUIRED (docs: reference, error messages); the description calls them numbers."
  },
  {
    operation: /./,
    at: /^response 429 \.code: /,
    why: "The code of a 429 is optional and left out for ordinary limits (docs: topics/rate-limits, rate limit response structure); the description requires it."
  },
  {
    operation: /\/commands|\/channels|\/permissions/,
    at: /^request (\.\d+)?(\.permission_overwrites\.\d+)?\.(default_member_permissions|allow|deny): /,
    why: "Permissions travel as decimal texts (docs: topics/permissions); the description wants numbers in requests."
  },
  {
    operation: /\/messages|\/webhooks|\/callback|\/threads/,
    at: /^request (\.data|\.message)?\.attachments\.\d+\.id: /,
    why: "New files are numbered 0, 1, 2 (docs: reference, uploading files); the description wants texts there."
  }
]
