import type { PredictionEvent } from '../../inference/core/events.ts'
import type { StageCall } from '../ports.ts'
import { newId } from './ids.ts'
import { type OutputCall, type OutputServerCall, openCall, openServerCall } from './output-calls.ts'
import { type OutputMessage, openMessage } from './output-message.ts'
import type { Response, ResponseEnd } from './response.ts'
import type { Voice } from './voice.ts'

/** Parts of {@link createTurnWriter}. */
export interface TurnWriterParts {
  readonly response: Response
  readonly call: StageCall
  /** Begins the speech of a message; absent where the response is text. */
  readonly openVoice: ((message: OutputMessage) => Voice) | undefined
  readonly listTools: (event: Extract<PredictionEvent, { type: 'server-tools' }>) => void
  /** Words of the caller about calls that waited. */
  readonly isAnswered: (callId: string) => boolean
  readonly onText: () => void
}

/** Writes the events of a prediction as items of a response. */
export interface TurnWriter {
  add(event: PredictionEvent): Promise<void>
  /** Ends the items, once everything is spoken. @returns how the response ends */
  end(): Promise<ResponseEnd>
}

/** Creates the writer of a response. */
export function createTurnWriter(parts: TurnWriterParts): TurnWriter {
  const { response, openVoice, listTools, isAnswered, onText } = parts
  const { output } = response
  const calls = new Map<number, OutputCall>()
  const serverCalls = new Map<string, OutputServerCall>()
  let message: OutputMessage | undefined
  let voice: Voice | undefined
  let reason: 'stop' | 'max_output_tokens' | 'content_filter' = 'stop'

  async function endMessage(): Promise<void> {
    await voice?.end()
    message?.end(reason === 'stop' ? 'completed' : 'incomplete')
    message = undefined
    voice = undefined
  }
  async function addText(text: string): Promise<void> {
    if (text === '') return
    onText()
    if (message === undefined) {
      message = openMessage(output, openVoice === undefined ? 'text' : 'audio')
      voice = openVoice?.(message)
    }
    await message.text(text)
    await voice?.say(text)
  }
  function beginCall({
    index,
    id,
    name,
  }: {
    readonly index: number
    readonly id: string
    readonly name: string
  }): void {
    calls.set(index, openCall(output, { callId: id === '' ? newId('call') : id, name }))
  }

  return {
    async add(event) {
      switch (event.type) {
        case 'text-delta':
          return addText(event.text)
        case 'tool-call-start':
          await endMessage()
          beginCall(event)
          return
        case 'tool-call-delta':
          await calls.get(event.index)?.arguments(event.arguments)
          return
        case 'server-tools':
          listTools(event)
          return
        case 'server-tool-call': {
          await endMessage()
          const { id, server, tool, arguments: args } = event
          serverCalls.set(id, openServerCall(output, { id, server, tool, arguments: args, isAgreed: isAnswered(id) }))
          return
        }
        case 'server-tool-result':
          serverCalls.get(event.id)?.end(event)
          return
        case 'server-tool-approval': {
          await endMessage()
          const { id, server, name, arguments: args } = event
          output.finish(
            output.begin({ type: 'mcp_approval_request', server_label: server, name, arguments: args }, id),
            {},
          )
          return
        }
        case 'choice-end':
          if (event.finishReason === 'length') reason = 'max_output_tokens'
          if (event.finishReason === 'content_filter') reason = 'content_filter'
          return
        case 'usage':
          response.usage = event.usage
          return
        default:
          return
      }
    },
    async end() {
      await endMessage()
      for (const call of calls.values()) call.end(reason === 'stop' ? 'completed' : 'incomplete')
      return reason === 'stop' ? { status: 'completed' } : { status: 'incomplete', reason }
    },
  }
}
