import * as AccountOffers from "../store/account/AccountOffers.ts"
import * as ConnectMessages from "../store/account/ConnectMessages.ts"
import * as CreditHints from "../store/account/CreditHints.ts"
import * as DirectMessages from "../store/account/DirectMessages.ts"
import * as GrantsToEnd from "../store/account/GrantsToEnd.ts"
import * as Redemptions from "../store/account/Redemptions.ts"
import * as AgentOffers from "../store/AgentOffers.ts"
import * as ArtifactCards from "../store/ArtifactCards.ts"
import * as AuditLog from "../store/AuditLog.ts"
import * as Chats from "../store/Chats.ts"
import * as FileOffers from "../store/FileOffers.ts"
import * as GuildSettings from "../store/GuildSettings.ts"
import * as HandledMessages from "../store/HandledMessages.ts"
import * as Inbox from "../store/Inbox.ts"
import * as Permissions from "../store/Permissions.ts"
import * as Posts from "../store/Posts.ts"
import * as Replies from "../store/Replies.ts"
import * as Requests from "../store/Requests.ts"
import * as Rules from "../store/Rules.ts"
import * as Shares from "../store/Shares.ts"
import * as TaskHeaders from "../store/TaskHeaders.ts"
import * as Threads from "../store/Threads.ts"
import * as Turns from "../store/Turns.ts"
import { layerSequence } from "./LayerSequence.ts"

/** The rows of every table. */
export const layer = layerSequence(
  AuditLog.layer,
  AccountOffers.layer,
  AgentOffers.layer,
  ArtifactCards.layer,
  Chats.layer,
  ConnectMessages.layer,
  CreditHints.layer,
  DirectMessages.layer,
  FileOffers.layer,
  GrantsToEnd.layer,
  GuildSettings.layer,
  HandledMessages.layer,
  Inbox.layer,
  Permissions.layer,
  Posts.layer,
  Redemptions.layer,
  Replies.layer,
  Requests.layer,
  Rules.layer,
  Shares.layer,
  TaskHeaders.layer,
  Threads.layer,
  Turns.layer
)
