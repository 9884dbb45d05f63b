import type { StoresFindResult, StoresGetResult } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { OperationFigures } from './operation-figures.ts'
import type { OperationContext, OperationRunner } from './operation-runner.ts'
import type { StoreEntry } from './store-operations.ts'

/** Stores do not count tokens. */
const NO_FIGURES: OperationFigures = { promptTokens: 0 }

/** Adds entries to the store of a backend. */
export const runStoreSet: OperationRunner<'store-set'> = async ({ entries }, context) => {
  const Keys = entries.map(({ key }) => toKey(key))
  const Values = entries.map(({ value }) => ({ Bytes: Buffer.from(value.buffer, value.byteOffset, value.length) }))
  checkResult(await ask(context, 'keys', ({ client, signal }) => client.storesSet({ Keys, Values }, { signal })))
  return NO_FIGURES
}

/** Removes entries from the store of a backend. */
export const runStoreDelete: OperationRunner<'store-delete'> = async ({ keys }, context) => {
  const Keys = keys.map(toKey)
  checkResult(await ask(context, 'keys', ({ client, signal }) => client.storesDelete({ Keys }, { signal })))
  return NO_FIGURES
}

/** Reads entries of the store of a backend. */
export const runStoreGet: OperationRunner<'store-get'> = async ({ keys }, context) => {
  const Keys = keys.map(toKey)
  const reply = await ask(context, 'keys', ({ client, signal }) => client.storesGet({ Keys }, { signal }))
  return { ...NO_FIGURES, entries: readEntries(reply) }
}

/** Finds the nearest entries in the store of a backend. The order is made certain here. */
export const runStoreFind: OperationRunner<'store-find'> = async ({ key, count }, context) => {
  const reply = await ask(context, 'key', ({ client, signal }) =>
    client.storesFind({ Key: toKey(key), TopK: count }, { signal }),
  )
  const { Similarities } = reply
  const entries = readEntries(reply)
  if (Similarities.length !== entries.length || !Similarities.every(Number.isFinite)) throw unusable()
  const found = entries.map((entry, index) => ({ ...entry, similarity: Similarities[index] ?? 0 }))
  return { ...NO_FIGURES, found: found.sort((one, other) => other.similarity - one.similarity).slice(0, count) }
}

function toKey(key: Float32Array): { Floats: number[] } {
  return { Floats: Array.from(key) }
}

async function ask<T>(
  context: OperationContext,
  field: 'key' | 'keys',
  call: (context: OperationContext) => Promise<T>,
): Promise<T> {
  try {
    return await call(context)
  } catch (cause) {
    if (!SvcError.is(cause) || cause.kind !== 'not_implemented') throw toFieldError(cause, field)
    throw new SvcError('not_implemented', `model "${context.model.name}" is not a vector store`, {
      code: 'no_store',
      cause,
    })
  }
}

/** Names the field of a key that does not fit its store. */
export function toFieldError(error: unknown, param: 'key' | 'keys'): unknown {
  if (!SvcError.is(error) || error.kind !== 'invalid_request') return error
  return new SvcError('invalid_request', error.message, { code: error.code, details: { param }, cause: error })
}

function checkResult({ success, message }: { readonly success: boolean; readonly message: string }): void {
  if (success) return
  throw new SvcError('internal', `the store failed: ${message || 'it gave no reason'}`, { code: 'store_failed' })
}

function readEntries({ Keys, Values }: Pick<StoresGetResult | StoresFindResult, 'Keys' | 'Values'>): StoreEntry[] {
  if (Keys.length !== Values.length) throw unusable()
  return Keys.map(({ Floats }, index) => {
    if (!Floats.every(Number.isFinite)) throw unusable()
    return { key: Float32Array.from(Floats), value: Values[index]?.Bytes ?? new Uint8Array() }
  })
}

function unusable(): SvcError {
  return new SvcError('internal', 'the store gave an answer that cannot be used', { code: 'invalid_store_answer' })
}
