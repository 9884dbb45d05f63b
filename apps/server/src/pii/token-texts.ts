import { SvcError } from '@svc/errors'
import { encodeJsonString } from '@svc/json'
import type { TokenList } from '@svc/pii/documents'
import type { ModelConfig } from '../catalog/model-config.ts'
import { hasFailover, leavesMachine, listFailoverTargets } from '../catalog/serving.ts'
import type { Executor } from '../inference/executor.ts'
import type { HiddenTexts } from './hidden-text.ts'

/** What lists of token ids stand for. */
export interface TokenReading {
  /** For each list its texts: one for each way in which the models that may get it read it. */
  readonly texts: readonly (readonly string[])[]
  /** Whether every model that may get the lists has read them. */
  readonly isComplete: boolean
}

/** Turns token ids into the text they stand for. */
export interface TokenReader {
  /**
   * The texts of each list, by the vocabularies of the models that may read it; none where no backend can tell.
   *
   * @throws {SvcError} whatever a backend failed with; the request must not go on
   */
  read(
    lists: readonly (readonly number[])[],
    options: { readonly model: ModelConfig; readonly signal: AbortSignal },
  ): Promise<TokenReading>
}

/** Ids of one request at most; more than any context of a model holds. */
const MAX_TOKENS = 262_144
const MAX_ID = 2 ** 31 - 1

/** Makes the reader. It asks the model of the request, or all failover targets: any may answer and vocabularies differ. */
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
        // A model elsewhere would have to be sent the ids before they are scanned.
        const read = leavesMachine(reader) ? undefined : await readBy(reader, lists, signal)
        if (read === undefined) isComplete = false
        for (const [index, text] of read?.entries() ?? []) texts[index]?.add(text)
      }
      return { texts: texts.map((some) => [...some]), isComplete }
    },
  }
}

/** Lists of token ids for the filter. */
export interface ReadTokenLists {
  readonly hidden: readonly HiddenTexts[]
  /** Lists that a model may get which nobody could ask for its reading. */
  readonly unscanned: readonly TokenList[]
}

/**
 * Lists of token ids as texts that can be scanned. A list of which something is masked goes on as a text.
 *
 * @throws {SvcError} `invalid_request` for ids that are none, and for more of them than are read
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

/** All readings are scanned. Where something is masked the first reading that held it goes on: it is the likely one. */
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
