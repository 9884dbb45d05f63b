import type { JsonDocument } from '@svc/json'
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
  traced: describeBody,
}

/** Gives the body for traces: the model and the number of samples, without the samples. */
function describeBody({ root }: JsonDocument): Uint8Array {
  const [model, audio] = [root.get('model'), root.get('audio')]
  return Buffer.from(
    JSON.stringify({
      ...(model?.kind === 'string' ? { model: model.text() } : {}),
      ...(audio?.kind === 'array' ? { audio: `${audio.length} samples` } : {}),
    }),
  )
}
