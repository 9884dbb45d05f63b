import { SvcError } from '@svc/errors'

/** Creates the refusal of an id that no state of the model has. */
export function slotNotFound(): SvcError {
  return new SvcError('not_found', 'no state of this model is saved under this id', {
    code: 'slot_state_not_found',
    details: { param: 'id' },
  })
}

/** Creates the refusal of a state that is not what was saved. */
export function slotMismatch(reason: string, cause?: unknown): SvcError {
  return new SvcError('precondition_failed', `the saved state does not match its record: ${reason}`, {
    code: 'slot_state_mismatch',
    cause,
    details: { param: 'id' },
  })
}

/** Creates the refusal of a state over the limit; its file is removed. */
export function slotTooLarge(maxBytes: number, cause?: unknown): SvcError {
  return new SvcError('insufficient_storage', `the state of the slot has more than ${maxBytes} bytes and was deleted`, {
    code: 'slot_state_too_large',
    cause,
  })
}

/** Creates the refusal of a model that was loaded without saving. */
export function slotsDisabled(cause: unknown): SvcError {
  return new SvcError('precondition_failed', 'slot save/restore is disabled', { code: 'slots_disabled', cause })
}
