import type { PredictionEvent } from '../inference/core/events.ts'
import type { ToolHints } from '../inference/tools/server-tools.ts'

/** Events of tools that this server runs, as the tool loop gives them. */
export type ToolEvent =
  | {
      readonly type: 'server-tools'
      readonly server: string
      readonly error?: string | undefined
    }
  | {
      readonly type: 'server-tool-call' | 'server-tool-approval'
      readonly choice: number
      readonly id: string
      readonly server: string
      readonly tool: string
      /** The name for the model. */
      readonly name: string
      /** JSON text. */
      readonly arguments: string
      readonly hints?: ToolHints | undefined
    }
  | {
      readonly type: 'server-tool-result'
      readonly choice: number
      readonly id: string
      readonly output: string
      readonly isError: boolean
    }

/** Events of a run. */
export type RunEvent = PredictionEvent | ToolEvent
