import { writeFile } from 'node:fs/promises'
import type { BackendClient } from '@svc/backend-client'
import { BackendError } from '@svc/backend-client'
import type { ErrorKind } from '@svc/errors'
import { tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { SAVED_ID, writeSavedState } from '../../../test/support/saved-state.ts'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import { toStatus } from '../../http/error-map.ts'
import { createSlotStore } from '../../slots/slot-store.ts'
import { toPredictionError } from '../engine/backend-failure.ts'
import { checkOperation, runOperation } from './run-operation.ts'

const logger = { debug() {}, info() {}, warn() {}, error() {} }
const slots = createSlotStore({ serverId: 'a', reserves: () => false, clock: { now: () => 0 }, logger })
const signal = new AbortController().signal

type Answer = (request: { readonly path: string }) => Promise<object>

/** Saves slot 1 of a model and restores one, on a backend with this answer. */
async function run(folder: string, answer: Answer) {
  const model = createModel({ folder, slotSavePath: 'slots', parameters: { model: 'm.bin' } })
  await writeSavedState(folder, 'm')
  // The runners call nothing else.
  const client = { extensions: { saveSlot: answer, restoreSlot: answer } } as unknown as BackendClient
  const drafts = { create: () => expect.unreachable() }
  const context = { client, model, slots, drafts, correlationId: '', signal }
  const settle = (running: Promise<unknown>): Promise<unknown> =>
    running.catch((error: unknown) => toPredictionError(error))
  return {
    saved: await settle(runOperation({ kind: 'save-slot', slot: 1 }, context)),
    restored: await settle(runOperation({ kind: 'restore-slot', slot: 1, id: SAVED_ID }, context)),
  }
}

it.each<[kind: ErrorKind, code: string, save: number, restore: number]>([
  // verifies slots:error:disabled
  ['precondition_failed', 'slots_disabled', 412, 412],
  ['precondition_failed', 'precondition_failed', 412, 412],
  ['precondition_failed', 'model_not_loaded', 500, 500],
  ['insufficient_storage', 'slot_too_large', 507, 507],
  ['insufficient_storage', 'disk_full', 507, 507],
  // A status without a code of ours: the contract says what it means.
  ['rate_limited', 'rate_limited', 507, 507],
  ['rate_limited', 'queue_full', 429, 429],
  ['unprocessable', 'bad_slot_file', 412, 412],
  ['not_implemented', 'unimplemented', 501, 501],
  ['invalid_request', 'backend_invalid_request', 400, 400],
  ['internal', 'backend_error', 500, 500],
  ['not_found', 'not_found', 500, 500],
  ['forbidden', 'forbidden', 500, 500],
])('a backend that fails with %s (%s) is %d on save and %d on restore', async (kind, code, save, restore) => {
  await using dir = await tempDir()
  const { saved, restored } = await run(dir.path, async () => {
    throw new BackendError(kind, 'the reason', { code })
  })
  expect([saved, restored].map((error) => toStatus(error as never))).toEqual([save, restore])
})

it.each<[string, object, object]>([
  ['as they are', { tokens: 7n, bytes: 5n, milliseconds: 2.5 }, { tokens: 7, milliseconds: 2.5 }],
  ['without sense', { tokens: -3n, bytes: -1n, milliseconds: Number.NaN }, { tokens: 0, milliseconds: 0 }],
  ['of an endless time', { tokens: 1n, bytes: 0n, milliseconds: Infinity }, { tokens: 1, milliseconds: 0 }],
])('figures of a backend are taken %s, the size from the file', async (_, reply, figures) => {
  await using dir = await tempDir()
  const { saved, restored } = await run(dir.path, async ({ path }) => {
    if (!path.includes(SAVED_ID)) await writeFile(path, 'state')
    return reply
  })
  expect(saved).toMatchObject({ ...figures, bytes: 5 })
  expect(restored).toMatchObject({ ...figures, bytes: 26, id: SAVED_ID })
})

it('is refused before the model is loaded', async () => {
  const model = createModel({ slotSavePath: undefined })
  await expect(checkOperation({ kind: 'save-slot', slot: 0 }, { model, slots })).rejects.toMatchObject({
    code: 'slot_save_path_missing',
  })
  const kept = createModel({ slotSavePath: 'slots' })
  const restoring = checkOperation({ kind: 'restore-slot', slot: 0, id: SAVED_ID }, { model: kept, slots })
  await expect(restoring).rejects.toMatchObject({ code: 'slot_state_not_found' })
  await expect(checkOperation({ kind: 'save-slot', slot: 0 }, { model })).rejects.toMatchObject({
    kind: 'not_implemented',
  })
  expect(checkOperation({ kind: 'tokenize', text: '' }, { model })).toBeUndefined()
})
