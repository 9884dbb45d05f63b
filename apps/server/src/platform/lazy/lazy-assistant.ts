import type { CallerTools } from '../../assistant/caller-tools.ts'
import type { AssistantCaller } from '../../assistant/own-tools.ts'
import { createLazy } from '../../concurrency/lazy.ts'
import type { InnerCalls } from '../../http/inner-calls.ts'
import type { OpenOwnTools } from '../../inference/tools/server-tools.ts'
import type { Clock } from '../../ports.ts'
import type { Settings } from '../../settings/settings.ts'

/** The assistant's tools. The first use loads them. */
export interface LazyAssistant {
  readonly isOn: () => boolean
  /** Gives the tools of callers. */
  open(): Promise<(caller: AssistantCaller) => CallerTools>
  /** Gives the tools to a chat. */
  readonly ownTools: OpenOwnTools
}

/** Makes the assistant of a server. Nothing of it is loaded yet. */
export function createLazyAssistant({
  settings,
  innerCalls,
  clock,
}: {
  readonly settings: Pick<Settings, 'get'>
  readonly innerCalls: InnerCalls
  readonly clock: Pick<Clock, 'sleep'>
}): LazyAssistant {
  const isOn = (): boolean => settings.get('localai_assistant_enabled')
  const { open } = createLazy(async () => {
    const [{ ALL_TOOLS: tools }, { createCallerTools }, { createCallerApi }] = await Promise.all([
      import('../../assistant/tools/all-tools.ts'),
      import('../../assistant/caller-tools.ts'),
      import('../../assistant/caller-api.ts'),
    ])
    const mayWrite = (): boolean => settings.get('assistant_write_tools')
    return (caller: AssistantCaller) =>
      createCallerTools({ tools, api: createCallerApi(innerCalls, caller), mayWrite, clock })
  })
  const ownTools = createLazy(async () => {
    const { createOwnTools } = await import('../../assistant/own-tools.ts')
    return createOwnTools({ isOn, openTools: async (caller) => (await open())(caller) })
  })
  return { isOn, open, ownTools: async (options) => (await ownTools.open())(options) }
}
