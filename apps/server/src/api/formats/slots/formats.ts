import { type SlotRestoreReply, type SlotSaveReply, slotRestoreRequest, slotSaveRequest } from '@svc/wire/native'
import { readBody } from '../../../inference/documents/read-body.ts'
import { toOperationCall, type WireFormat } from '../../../inference/replies/wire-format.ts'

/** The wire format of `POST /v1/slots/save`. */
export const saveFormat: WireFormat = {
  async read(document, { signal }) {
    const { slot } = await readBody(slotSaveRequest, document, signal)
    return toOperationCall<'save-slot'>(
      { kind: 'save-slot', slot },
      ({ id, tokens, bytes, milliseconds }, { model }): SlotSaveReply => ({
        id,
        model,
        slot,
        n_saved: tokens,
        bytes,
        ms: milliseconds,
      }),
    )
  },
}

/** The wire format of `POST /v1/slots/restore`. */
export const restoreFormat: WireFormat = {
  async read(document, { signal }) {
    const { slot, id } = await readBody(slotRestoreRequest, document, signal)
    return toOperationCall<'restore-slot'>(
      { kind: 'restore-slot', slot, id },
      ({ tokens, bytes, milliseconds }, { model }): SlotRestoreReply => ({
        id,
        model,
        slot,
        n_restored: tokens,
        bytes,
        ms: milliseconds,
      }),
    )
  },
}
