import type { Messages } from "../Messages.ts"

export const stepOutputs: Messages["stepOutputs"] = {
  button: "输出",
  file: (count) => `${count} 个步骤的输出：`,
  omitted: (characters) => `[…… 此前的 ${characters.toLocaleString("en")} 个字符已省略]`,
  gone: {
    happened: "这个任务里已经没有这次回答的输出了。",
    changed: "没有任何变化，也没有扣费。",
    next: "如果需要，请让智能体再运行一次命令。"
  },
  unreachable: {
    happened: "无法连接到这个任务。",
    changed: "没有任何变化，也没有扣费。",
    next: "请一分钟后再试。"
  }
}
