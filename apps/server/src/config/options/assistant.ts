import { defineSection, option, setting } from '../option.ts'
import { notOption, onOff } from '../setting-kind.ts'
import { toggle } from '../text-kind.ts'

export const assistant = defineSection({
  heading: 'Assistant',
  options: {
    disableAssistant: option(toggle, {
      env: ['SVC_DISABLE_ASSISTANT'],
      default: 'false',
      about: 'no tools with which an assistant runs the server, neither at `/mcp` nor in a chat',
      setting: {
        localai_assistant_enabled: setting(notOption, { about: 'tools with which an assistant runs the server' }),
      },
    }),
    assistantWriteTools: option(toggle, {
      env: ['SVC_ASSISTANT_WRITE_TOOLS'],
      default: 'true',
      about: 'the assistant of an administrator has tools that change the server',
      setting: { assistant_write_tools: setting(onOff) },
    }),
  },
})
