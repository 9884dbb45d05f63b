import type { ModelConfig } from '../../catalog/model-config.ts'
import type { ConversationPart, ConverseResult } from '../../inference/operations/audio/audio-operations.ts'
import { toOperationCall } from '../../inference/replies/wire-format.ts'
import { type AnyToAnyPart, HEARD_RATE, type PipelineStages, type StageCall, type StageMessage } from '../ports.ts'
import { NO_FACTS, type PartAsker } from './ask-part.ts'
import { readMessageText } from './message-text.ts'

/** The text beside the sound, as the filter reads it. */
interface ConverseBody {
  readonly messages: readonly StageMessage[]
  readonly tools: readonly unknown[]
}

/** Creates the stage of models that hear and speak. The policy of the pipeline filters the text beside the sound. */
export function createConversing(asker: PartAsker, findModel: () => ModelConfig): PipelineStages['converse'] {
  return ({ samples, instructions, voice, tools, history = [] }, call: StageCall): AsyncIterable<AnyToAnyPart> => {
    const sent: ConverseBody = { messages: [{ role: 'system', content: instructions }, ...history], tools }
    return asker.serve<ConversationPart>(
      {
        model: findModel(),
        usecase: 'realtime_audio',
        body: sent,
        scanned: 'chat-completions',
        read: async ({ root }) => {
          const { messages, tools: offered } = root.toValue() as unknown as ConverseBody
          const [first = {}, ...earlier] = messages
          const text = { instructions: readMessageText(first), history: earlier, tools: offered }
          return toOperationCall<'converse'>(
            { kind: 'converse', samples, sampleRate: HEARD_RATE, voice: voice || undefined, ...text },
            (result) => result,
          )
        },
        async deliver(reply, give) {
          if (reply.kind !== 'json') return
          const { live } = reply.body(NO_FACTS) as ConverseResult
          for await (const part of live) await give(part)
        },
      },
      call,
    )
  }
}
