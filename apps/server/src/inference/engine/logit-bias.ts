import { type JsonDocument, type JsonNode, runInSlices, spliceCooperatively } from '@svc/json'
import type { MaybePromise } from '../../ports.ts'
import { unparsable } from '../documents/unparsable.ts'

/** A body whose large map of biases is taken out. */
export interface BodyWithoutBias {
  readonly rest: JsonDocument
  /** The map as JSON text; undefined for a small one, which stays in the body. */
  readonly logitBias: string | undefined
}

/** Maps up to this size are checked with the body. */
const FEW_ENTRIES = 1024
const NAME = 'logit_bias'
const MAX_BIAS = 100

/**
 * Takes a large `logit_bias` out of a body and checks it in slices. As a value, a map of a hundred thousand tokens would
 * hold the event loop for half a second.
 *
 * @throws {SvcError} `invalid_request` naming the field
 */
export function takeLogitBias(document: JsonDocument, signal: AbortSignal): MaybePromise<BodyWithoutBias> {
  const maps = document.root.getAll(NAME)
  const last = maps.at(-1)
  return last === undefined || !maps.some(({ length }) => length > FEW_ENTRIES)
    ? { rest: document, logitBias: undefined }
    : takeLarge(document, { maps, last, signal })
}

async function takeLarge(
  document: JsonDocument,
  { maps, last, signal }: { readonly maps: readonly JsonNode[]; readonly last: JsonNode; readonly signal: AbortSignal },
): Promise<BodyWithoutBias> {
  if (last.kind === 'object') await check(last, signal)
  const isTaken = last.kind === 'object'
  const cut = isTaken ? maps : maps.slice(0, -1)
  const nothing = new TextEncoder().encode('null')
  const splices = cut.map(({ start, end }) => ({ start, end, replacement: nothing }))
  const rest = await spliceCooperatively(document, splices, {}, { signal })
  return { rest, logitBias: isTaken ? last.rawText() : undefined }
}

async function check(map: JsonNode, signal: AbortSignal): Promise<void> {
  const entries = map.entries()
  await runInSlices(
    () => {
      for (let count = 0; count < 256; count += 1) {
        const { done, value: entry } = entries.next()
        if (done === true) return true
        if (!isTokenId(entry.key)) throw unparsable(`${NAME}: a name must be the id of a token`, NAME)
        if (!isBias(entry.value)) throw unparsable(`${NAME}: expected numbers from -100 to 100`, NAME)
      }
      return false
    },
    { signal },
  )
}

const ZERO = 0x30
const NINE = 0x39
const MAX_DIGITS = 10

/** Reads the bytes of a key: decoding a hundred thousand of them would take most of the time. */
function isTokenId({ start, end, document: { bytes } }: JsonNode): boolean {
  const digits = end - start - 2
  if (digits < 1 || digits > MAX_DIGITS) return false
  for (let at = start + 1; at < end - 1; at += 1) {
    const code = bytes[at] ?? 0
    if (code < ZERO || code > NINE) return false
  }
  return true
}

function isBias(node: JsonNode): boolean {
  return node.kind === 'number' && Math.abs(node.number()) <= MAX_BIAS
}
