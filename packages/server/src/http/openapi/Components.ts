import { knownStatuses as statuses } from "@heddle/core/domain/TaskStatus"
import type { Settings } from "../../config/ServerConfig.ts"
import type { Json } from "./StrictSchema.ts"

/** What this service adds to a schema of the contract. */
export interface Component {
  /** The required fields. Clients accept answers without them; this service always sends them. */
  readonly required?: ReadonlyArray<string>
  /** Keywords for fields, from the settings of this service. */
  readonly fields?: Readonly<Record<string, Json>>
}

/** What this service adds to the schemas of the contract, by their names in the document. */
export const components = ({
  contract,
  limits
}: Pick<Settings, "contract" | "limits">): Readonly<Record<string, Component>> => {
  const bytes = (maximum: number): Json => ({ maxLength: maximum, description: `At most ${maximum} bytes.` })
  const name = { maxLength: limits.name }
  const task = {
    required: ["task_id", "status", "name", "created_at", "updated_at"],
    fields: { name, ...(contract.statusCase === "lower" ? { status: { "x-extensible-enum": statuses } } : {}) }
  }
  return {
    TokenResponse: { required: ["access_token", "token_type", "expires_in", "scope", "open_id"] },
    DeviceAuthorization: {
      required: ["device_code", "user_code", "verification_uri", "verification_uri_complete", "expires_in", "interval"]
    },
    Profile: { required: ["nickname", "avatar"] },
    NewMessage: { fields: { content: bytes(limits.content) } },
    AssistantMessage: {
      required: ["message_id", "role", "content", "msg_type", "created_at", "attachments", "metadata"]
    },
    NewTask: { fields: { prompt: bytes(limits.prompt), name } },
    Task: task,
    TaskSummary: task,
    Redemption: { required: ["status", "flow_no", "credits", "open_id"] }
  }
}
