import type { VoicesReply } from '@svc/wire/native'
import { toOperationCall, type WireFormat } from '../../../../inference/replies/wire-format.ts'

/** The wire format of `GET /v1/voices`. */
export const voicesFormat: WireFormat = {
  async read() {
    return toOperationCall<'list-voices'>(
      { kind: 'list-voices' },
      ({ voices }, { model }): VoicesReply => ({
        object: 'list',
        model,
        voices: voices.map(({ name, language }) => ({ id: name, name, language: language || null })),
      }),
    )
  },
}
