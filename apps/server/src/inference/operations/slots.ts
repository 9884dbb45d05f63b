import { SvcError } from '@svc/errors'
import { slotMismatch, slotsDisabled, slotTooLarge } from '../../slots/slot-errors.ts'
import { MAX_STATE_BYTES, type SlotStore } from '../../slots/slot-store.ts'
import type { CheckContext, OperationCheck, OperationRunner } from './operation-runner.ts'

/** Refuses to save a slot of a model that has no folder for it. */
export const checkSaveSlot: OperationCheck<'save-slot'> = async (_request, context) => {
  requireStore(context).check(context.model)
}

/** Refuses to restore a state that is not there. */
export const checkRestoreSlot: OperationCheck<'restore-slot'> = async ({ id }, context) => {
  await requireStore(context).find(context.model, id)
}

/** Saves the state of a slot to a file. */
export const runSaveSlot: OperationRunner<'save-slot'> = async ({ slot }, context) => {
  const { client, model, loadedWeights: weights, signal } = context
  let tokens = 0
  let milliseconds = 0
  const write = async (path: string, { maxBytes }: { readonly maxBytes: number }): Promise<number> => {
    const request = { modelIdentity: model.parameters.model ?? '', slot, path, maxBytes: BigInt(maxBytes) }
    const reply = await client.extensions.saveSlot(request, { signal }).catch((error: unknown) => {
      throw toSlotError(error, maxBytes)
    })
    milliseconds = toFigure(reply.milliseconds)
    tokens = toFigure(Number(reply.tokens))
    return tokens
  }
  const { id, bytes } = await requireStore(context).save(model, write, { weights, signal })
  return { id, tokens, bytes, milliseconds, promptTokens: 0 }
}

/** Puts a saved state into a slot. */
export const runRestoreSlot: OperationRunner<'restore-slot'> = async ({ slot, id }, context) => {
  const { client, model, signal } = context
  return await requireStore(context).restore(
    model,
    id,
    async (path, { size }) => {
      const request = { modelIdentity: model.parameters.model ?? '', slot, path }
      const reply = await client.extensions.restoreSlot(request, { signal }).catch((error: unknown) => {
        throw toSlotError(error, MAX_STATE_BYTES)
      })
      const [tokens, milliseconds] = [toFigure(Number(reply.tokens)), toFigure(reply.milliseconds)]
      return { id, tokens, bytes: size, milliseconds, promptTokens: 0 }
    },
    { signal },
  )
}

function requireStore({ slots }: CheckContext): SlotStore {
  if (slots !== undefined) return slots
  throw new SvcError('not_implemented', 'slots are not saved here', { code: 'no_slot_store' })
}

/** A backend may report anything. */
function toFigure(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0
}

/**
 * Converts a failed call (§7.3): saving that is turned off, a state over the limit, and a state that the engine refuses.
 * A status without a code is read as the contract of the call says.
 */
function toSlotError(thrown: unknown, maxBytes: number): unknown {
  if (!SvcError.is(thrown)) return thrown
  const { kind, code } = thrown
  switch (kind) {
    case 'precondition_failed':
      return code === 'model_not_loaded' ? thrown : slotsDisabled(thrown)
    case 'insufficient_storage':
      return code === 'disk_full' ? thrown : slotTooLarge(maxBytes, thrown)
    case 'rate_limited':
      return code === 'rate_limited' ? slotTooLarge(maxBytes, thrown) : thrown
    case 'unprocessable':
      return slotMismatch('the backend cannot read it', thrown)
    case 'not_implemented':
      return new SvcError('not_implemented', 'the backend of this model cannot save and restore slots', {
        code: 'slots_not_supported',
        cause: thrown,
      })
    default:
      return thrown
  }
}
