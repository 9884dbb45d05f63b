import { type VadReply, vadRequest } from '@svc/wire/native'
import { readBody } from '../../../../inference/documents/read-body.ts'
import { toOperationCall, type WireFormat } from '../../../../inference/replies/wire-format.ts'

/** The wire format of `POST /v1/audio/vad`. */
export const vadFormat: WireFormat = {
  async read(document, { signal }) {
    const { audio } = await readBody(vadRequest, document, signal)
    return toOperationCall<'detect-speech'>(
      { kind: 'detect-speech', samples: audio },
      ({ segments }): VadReply => ({ segments: segments.map(({ start, end }) => ({ start, end })) }),
    )
  },
}
