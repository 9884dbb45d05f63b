import type { JsonDocument } from '@svc/json'
import { storesFindRequest, storesKeysRequest, storesSetRequest } from '@svc/wire/native'
import { limitItems } from '../../../inference/documents/limit-items.ts'
import { readBody } from '../../../inference/documents/read-body.ts'
import { unparsable } from '../../../inference/documents/unparsable.ts'
import type { WireFormat } from '../../../inference/replies/wire-format.ts'
import { NO_CONTENT, toContentCall, toJsonContent } from './encode-reply.ts'
import { findStore, type StoreDirectory } from './find-store.ts'
import { writeFound, writeGot } from './write-entries.ts'

/** Numbers and vectors of one request. */
const MAX_NUMBERS = 1_048_576
/** Keys, and values, of one request. */
const MAX_KEYS = 16_384

/** The wire formats of `POST /stores/*`. */
export interface StoreFormats {
  readonly set: WireFormat
  readonly get: WireFormat
  readonly delete: WireFormat
  readonly find: WireFormat
}

/** Creates the formats. @param directory the models that may be stores */
export function createStoreFormats(directory: StoreDirectory): StoreFormats {
  const shared: Pick<WireFormat, 'findModel' | 'traced'> = {
    findModel: (document) => findStore(document, directory),
    traced: describeBody,
  }
  return {
    set: {
      ...shared,
      async read(document, { signal }) {
        limitKeys(document)
        limitItems(document, 'values', MAX_KEYS)
        const { keys, values } = await readBody(storesSetRequest, document, signal)
        const entries = keys.map((key, index) => ({
          key: Float32Array.from(key),
          value: new TextEncoder().encode(values[index]),
        }))
        return toContentCall<'store-set'>({ kind: 'store-set', entries }, () => NO_CONTENT)
      },
    },
    get: {
      ...shared,
      async read(document, { signal }) {
        const keys = await readKeys(document, signal)
        return toContentCall<'store-get'>({ kind: 'store-get', keys }, ({ entries }) =>
          toJsonContent(writeGot(entries)),
        )
      },
    },
    delete: {
      ...shared,
      async read(document, { signal }) {
        const keys = await readKeys(document, signal)
        return toContentCall<'store-delete'>({ kind: 'store-delete', keys }, () => NO_CONTENT)
      },
    },
    find: {
      ...shared,
      async read(document, { signal }) {
        limitItems(document, 'key', MAX_NUMBERS)
        const { key, topk } = await readBody(storesFindRequest, document, signal)
        const request = { kind: 'store-find', key: Float32Array.from(key), count: topk } as const
        return toContentCall<'store-find'>(request, ({ found }) => toJsonContent(writeFound(found)))
      },
    },
  }
}

function limitKeys(document: JsonDocument): void {
  if ((document.root.get('keys')?.length ?? 0) > MAX_KEYS) throw unparsable(`keys: more than ${MAX_KEYS} items`, 'keys')
  limitItems(document, 'keys', MAX_NUMBERS)
}

async function readKeys(document: JsonDocument, signal: AbortSignal): Promise<readonly Float32Array[]> {
  limitKeys(document)
  const { keys } = await readBody(storesKeysRequest, document, signal)
  return keys.map((key) => Float32Array.from(key))
}

/** Gives the body for traces: names and counts, without vectors and values. */
function describeBody({ root }: JsonDocument): Uint8Array {
  const described: Record<string, unknown> = {}
  for (const field of ['store', 'backend', 'topk']) {
    const node = root.get(field)
    if (node?.kind === 'string' || node?.kind === 'number') described[field] = node.toValue()
  }
  for (const field of ['keys', 'values', 'key']) {
    const node = root.get(field)
    if (node?.kind === 'array') described[field] = `${node.length} items`
  }
  return Buffer.from(JSON.stringify(described))
}
