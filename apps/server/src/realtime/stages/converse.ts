import type { ModelConfig } from '../../catalog/model-config.ts'
import type { ConversationPart } from '../../inference/operations/audio/audio-operations.ts'
import { type AnyToAnyPart, HEARD_RATE, type PipelineStages, type StageCall } from '../ports.ts'
import type { PartAsker } from './ask-part.ts'

/** Creates the stage of models that hear and speak. */
export function createConversing(asker: PartAsker, findModel: () => ModelConfig): PipelineStages['converse'] {
  return ({ samples, instructions, voice, tools, history = [] }, call: StageCall): AsyncIterable<AnyToAnyPart> =>
    asker.follow<'converse', ConversationPart>(
      { kind: 'converse', samples, sampleRate: HEARD_RATE, instructions, voice: voice || undefined, tools, history },
      {
        model: findModel(),
        usecase: 'realtime_audio',
        async read({ live }, give) {
          for await (const part of live) await give(part)
        },
      },
      call,
    )
}
