import { SvcError } from '@svc/errors'
import { type Fields, toList, toText } from '@svc/proxy/replies'
import { undecodable } from './status.ts'
import { readNumbers } from './text.ts'
import type { ServiceCall, ServiceTransport } from './transport.ts'

/** Vectors with their values. */
export interface StoreEntries {
  readonly keys: readonly (readonly number[])[]
  readonly values: readonly Uint8Array[]
}

/** Stores values under vectors. The instance stores texts: values must be UTF-8. */
export async function storesSet(transport: ServiceTransport, entries: StoreEntries, call: ServiceCall): Promise<void> {
  const values = entries.values.map(decodeText)
  await send(transport, '/stores/set', { keys: entries.keys, values }, call)
}

/** Deletes vectors with their values. */
export async function storesDelete(
  transport: ServiceTransport,
  keys: StoreEntries['keys'],
  call: ServiceCall,
): Promise<void> {
  await send(transport, '/stores/delete', { keys }, call)
}

/** Reads the values of vectors; unknown vectors are left out. */
export async function storesGet(
  transport: ServiceTransport,
  keys: StoreEntries['keys'],
  call: ServiceCall,
): Promise<StoreEntries> {
  const path = '/stores/get'
  const reply = await transport.ask(path, { json: { store: transport.target.model, keys } }, call)
  return readEntries(reply, path)
}

/** Finds the values of the most similar vectors, best first; similarities are cosines. */
export async function storesFind(
  transport: ServiceTransport,
  input: { readonly key: readonly number[]; readonly topK: number },
  call: ServiceCall,
): Promise<StoreEntries & { readonly similarities: readonly number[] }> {
  const path = '/stores/find'
  const json = { store: transport.target.model, key: input.key, topk: input.topK }
  const reply = await transport.ask(path, { json }, call)
  return { ...readEntries(reply, path), similarities: readNumbers(toList(reply.similarities), path) }
}

/** Calls a route whose reply has no content. */
async function send(transport: ServiceTransport, path: string, fields: Fields, call: ServiceCall): Promise<void> {
  const json = { store: transport.target.model, ...fields }
  const { body } = await transport.fetch(path, { json }, { ...call, streams: false })
  for await (const _piece of body);
}

function readEntries(reply: Fields, path: string): StoreEntries {
  const keys = toList(reply.keys).map((key) => readNumbers(toList(key), path))
  const values = toList(reply.values).map((value) => {
    const text = toText(value)
    if (text === undefined) throw undecodable(path)
    return new TextEncoder().encode(text)
  })
  if (keys.length !== values.length) throw undecodable(path)
  return { keys, values }
}

function decodeText(value: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value)
  } catch (error) {
    throw new SvcError('invalid_request', 'values that are no UTF-8 cannot be kept by another instance', {
      code: 'not_forwardable',
      cause: error,
    })
  }
}
