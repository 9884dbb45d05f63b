import type { BackendHandlers } from '@svc/backend-kit'
import { createByteOffsets } from '../engine/byte-offsets.ts'
import { invalidRequest } from '../errors.ts'
import type { ModelHost } from '../model-host.ts'

/** TokenClassify: the entities of a text, in order. */
export function createClassifyHandlers(host: ModelHost): Pick<BackendHandlers, 'tokenClassify'> {
  return {
    tokenClassify: async ({ text, threshold, ModelIdentity }, { signal }) => {
      const model = host.use(ModelIdentity)
      if (!(threshold >= 0 && threshold <= 1)) throw invalidRequest('threshold must be a number of 0 to 1', 'threshold')
      const { entities } = await model.classify(text, { signal })
      const toByte = createByteOffsets(text)
      return {
        entities: entities
          .filter(({ score }) => score >= threshold)
          .map(({ group, start, end, score }) => ({
            entityGroup: group,
            start: toByte(start),
            end: toByte(end),
            score,
            text: text.slice(start, end),
          })),
      }
    },
  }
}
