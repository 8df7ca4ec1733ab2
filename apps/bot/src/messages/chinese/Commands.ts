import type { Messages } from "../Messages.ts"

/** The slash commands and their options, as Discord lists them; at most 100 characters each. */
export const commands: Messages["commands"] = {
  groups: { task: "云端任务", artifacts: "这个子区里的任务的产出" },
  taskNew: {
    description: "新建云端任务；会开启一个子区，你可以在里面和智能体对话",
    prompt: "要做什么？",
    file: "要处理的文件，最大 25 MB",
    name: "任务名称"
  },
  taskList: { description: "查看你最近的任务" },
  taskStatus: { description: "查看这个子区里任务的状态" },
  taskStop: { description: "停止这个子区里正在进行的回答" },
  connect: { description: "连接你的账号，你的任务会在这个账号上运行" },
  disconnect: { description: "解除机器人对你账号的访问" },
  credit: { description: "查看你的积分" },
  artifactsList: { description: "查看这个任务的计划、任务清单、文件和总结" },
  artifactsOpen: { description: "跳转到这个任务某项产出的卡片", name: "哪一项？" },
  artifactsDownload: { description: "获取这个任务的某项产出，仅你可见", name: "哪一项？" },
  artifactsPlan: { description: "比较这个任务的计划的两个版本", name: "哪个计划？不填则为最新的计划" },
  help: { description: "这个机器人能做什么、怎么用" },
  startWithMessage: "用这条消息新建任务"
}
