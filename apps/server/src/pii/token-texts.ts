import { SvcError } from '@svc/errors'
import { encodeJsonString } from '@svc/json'
import type { TokenList } from '@svc/pii/documents'
import type { ModelConfig } from '../catalog/model-config.ts'
import { hasFailover, leavesMachine, listFailoverTargets } from '../catalog/serving.ts'
import type { Executor } from '../inference/engine/executor.ts'
import type { HiddenTexts } from './hidden-text.ts'

/** Texts of token lists. */
export interface TokenReading {
  /** The texts of each list: one for each distinct reading by a model that may get it. */
  readonly texts: readonly (readonly string[])[]
  /** Whether every model that may get the lists has read them. */
  readonly isComplete: boolean
}

/** Converts token ids to text. */
export interface TokenReader {
  /**
   * Reads each list with the vocabularies of the models that may get it; gives no text when no backend can.
   *
   * @throws {SvcError} the failure of a backend; the request must not go on
   */
  read(
    lists: readonly (readonly number[])[],
    options: { readonly model: ModelConfig; readonly signal: AbortSignal },
  ): Promise<TokenReading>
}

/** Maximum number of ids of one request; more than the context of any model. */
const MAX_TOKENS = 262_144
const MAX_ID = 2 ** 31 - 1

/**
 * Creates the reader. It asks the model of the request, or all failover targets, because any of them may answer and
 * vocabularies differ.
 */
export function createTokenReader(executor: Pick<Executor, 'perform'>): TokenReader {
  async function readBy(
    model: ModelConfig,
    lists: readonly (readonly number[])[],
    signal: AbortSignal,
  ): Promise<readonly string[] | undefined> {
    const texts: string[] = []
    try {
      for (const tokens of lists) {
        const { text } = await executor.perform<'detokenize'>({ kind: 'detokenize', tokens }, { model, signal })
        texts.push(text)
      }
      return texts
    } catch (error) {
      if (SvcError.is(error) && error.kind === 'not_implemented') return undefined
      throw error
    }
  }

  return {
    async read(lists, { model, signal }) {
      // Disabled targets are never asked.
      const models = hasFailover(model)
        ? listFailoverTargets(model).flatMap((target) => (target.model.disabled ? [] : [target.model]))
        : [model]
      const texts = lists.map(() => new Set<string>())
      let isComplete = models.length > 0
      for (const reader of models) {
        // A remote model would get the ids before they are scanned.
        const read = leavesMachine(reader) ? undefined : await readBy(reader, lists, signal)
        if (read === undefined) isComplete = false
        for (const [index, text] of read?.entries() ?? []) texts[index]?.add(text)
      }
      return { texts: texts.map((some) => [...some]), isComplete }
    },
  }
}

/** Token lists for the filter. */
export interface ReadTokenLists {
  readonly hidden: readonly HiddenTexts[]
  /** Lists that a model may get although it could not read them. */
  readonly unscanned: readonly TokenList[]
}

/**
 * Reads token lists as texts for the scan. A list with masked text goes on as text.
 *
 * @throws {SvcError} `invalid_request` for invalid ids, and for too many of them
 */
export async function readTokenLists(
  lists: readonly TokenList[],
  reader: TokenReader,
  options: { readonly model: ModelConfig; readonly signal: AbortSignal },
): Promise<ReadTokenLists> {
  const total = lists.reduce((sum, { node }) => sum + node.length, 0)
  if (total > MAX_TOKENS) throw refused(lists[0]?.path ?? '', `more than ${MAX_TOKENS} token ids`)
  const { texts, isComplete } = await reader.read(lists.map(toIds), options)
  const hidden = lists.flatMap((list, index) => toHidden(list, texts[index] ?? []))
  return { hidden, unscanned: isComplete ? [] : lists }
}

function toIds({ node, path }: TokenList): number[] {
  return Array.from(node.items(), (item) => {
    const id = item.kind === 'number' ? item.number() : Number.NaN
    if (!Number.isInteger(id) || id < 0 || id > MAX_ID) throw refused(path, 'token ids are whole numbers from 0')
    return id
  })
}

/** All readings are scanned. With a masked finding the first reading that held it goes on, as the likeliest one. */
function toHidden({ node, path }: TokenList, texts: readonly string[]): HiddenTexts[] {
  if (texts.length === 0) return []
  const encode = (masked: readonly string[]): Uint8Array =>
    encodeJsonString(masked.find((text, index) => text !== texts[index]) ?? '')
  return [{ node, segments: texts.map((text) => ({ path, text })), encode }]
}

function refused(path: string, reason: string): SvcError {
  return new SvcError('invalid_request', `failed parsing request body: ${path}: ${reason}`, {
    code: 'unparsable_body',
    details: { type: 'invalid_request_error', param: path },
  })
}
