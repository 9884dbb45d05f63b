import { SvcError } from '@svc/errors'
import { encodeJsonString } from '@svc/json'
import type { TokenList } from '@svc/pii'
import type { ModelConfig } from '../models/model-config.ts'
import type { Residency } from '../models/residency.ts'
import type { HiddenTexts } from './hidden-text.ts'

/** Turns token ids into the text they stand for. */
export interface TokenReader {
  /**
   * The text of each list, by the vocabulary of the model that would read them; undefined where its backend cannot tell.
   *
   * @throws {SvcError} whatever the backend failed with; the request must not go on
   */
  read(
    lists: readonly (readonly number[])[],
    options: { readonly model: ModelConfig; readonly signal: AbortSignal },
  ): Promise<readonly string[] | undefined>
}

/** Ids of one request at most; more than any context of a model holds. */
const MAX_TOKENS = 262_144
const MAX_ID = 2 ** 31 - 1
/** Backends that would send the ids away to have them read, before anybody has looked at them. */
const FORWARDING: ReadonlySet<string> = new Set(['cloud-proxy', 'service-proxy'])

/** Asks the backend that the request is for; of those that answer for a chain, the first that can tell. */
export function createTokenReader(residency: Pick<Residency, 'acquire'>): TokenReader {
  async function readBy(
    model: ModelConfig,
    lists: readonly (readonly number[])[],
    signal: AbortSignal,
  ): Promise<readonly string[] | undefined> {
    const lease = await residency.acquire(model, { signal })
    try {
      const texts: string[] = []
      for (const tokens of lists) {
        texts.push((await lease.client.detokenize({ tokens: [...tokens] }, { signal })).content)
      }
      return texts
    } catch (error) {
      if (SvcError.is(error) && error.kind === 'not_implemented') return undefined
      throw error
    } finally {
      lease.release()
    }
  }

  return {
    async read(lists, { model, signal }) {
      const failures: unknown[] = []
      const readers = model.standIns?.map((one) => one.model) ?? [model]
      for (const reader of readers.filter((each) => !FORWARDING.has(each.backend.toLowerCase()))) {
        try {
          const texts = await readBy(reader, lists, signal)
          if (texts !== undefined) return texts
        } catch (error) {
          signal.throwIfAborted()
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
      return undefined
    },
  }
}

/**
 * Lists of token ids as texts that can be scanned. A list of which something is masked goes on as a text.
 *
 * @returns undefined where nobody can tell their texts
 * @throws {SvcError} `invalid_request` for ids that are none, and for more of them than are read
 */
export async function readTokenLists(
  lists: readonly TokenList[],
  reader: TokenReader,
  options: { readonly model: ModelConfig; readonly signal: AbortSignal },
): Promise<readonly HiddenTexts[] | undefined> {
  const total = lists.reduce((sum, { node }) => sum + node.length, 0)
  if (total > MAX_TOKENS) throw refused(lists[0]?.path ?? '', `more than ${MAX_TOKENS} token ids`)
  const texts = await reader.read(lists.map(toIds), options)
  return texts?.map((text, index) => toHidden(lists[index], text)).filter((hidden) => hidden !== undefined)
}

function toIds({ node, path }: TokenList): number[] {
  return Array.from(node.items(), (item) => {
    const id = item.kind === 'number' ? item.number() : Number.NaN
    if (!Number.isInteger(id) || id < 0 || id > MAX_ID) throw refused(path, 'token ids are whole numbers from 0')
    return id
  })
}

function toHidden(list: TokenList | undefined, text: string): HiddenTexts | undefined {
  if (list === undefined) return undefined
  const { node, path } = list
  return { node, segments: [{ path, text }], encode: ([masked = text]) => encodeJsonString(masked) }
}

function refused(path: string, reason: string): SvcError {
  return new SvcError('invalid_request', `failed parsing request body: ${path}: ${reason}`, {
    code: 'unparsable_body',
    details: { type: 'invalid_request_error', param: path },
  })
}
