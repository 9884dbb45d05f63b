import { type VadReply, vadRequest } from '@svc/wire/native'
import { limitItems } from '../../../../inference/documents/limit-items.ts'
import { readBody } from '../../../../inference/documents/read-body.ts'
import { toOperationCall, type WireFormat } from '../../../../inference/replies/wire-format.ts'

/** Samples of one request: a minute and a half. */
const MAX_SAMPLES = 1_500_000

/** The wire format of `POST /v1/audio/vad`. */
export const vadFormat: WireFormat = {
  async read(document, { signal }) {
    limitItems(document, 'audio', MAX_SAMPLES)
    const { audio } = await readBody(vadRequest, document, signal)
    return toOperationCall<'detect-speech'>(
      { kind: 'detect-speech', samples: audio },
      ({ segments }): VadReply => ({ segments: segments.map(({ start, end }) => ({ start, end })) }),
    )
  },
}
