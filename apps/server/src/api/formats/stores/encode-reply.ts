import { setImmediate } from 'node:timers/promises'
import type { OperationKind, OperationRequest, OperationResult } from '../../../inference/operations/operation.ts'
import type { Content } from '../../../inference/replies/content.ts'
import type { OperationCall } from '../../../inference/replies/wire-format.ts'

/** Characters that are written without a pause. */
const MANY_CHARACTERS = 262_144
const JSON_TYPE = 'application/json'

/** The body of replies that say nothing. */
export const NO_CONTENT: Content = { mediaType: 'text/plain; charset=utf-8', length: 0, async *read() {} }

/** Joins an operation and the content of its reply. Traces keep no bytes of content, and so no vectors. */
export function toContentCall<K extends OperationKind>(
  request: OperationRequest<K>,
  encode: (result: OperationResult<K>) => Content,
): OperationCall {
  return {
    kind: 'operation',
    request,
    async perform(run) {
      return { kind: 'content', content: encode(await run<K>(request)) }
    },
  }
}

/** Makes JSON text of its pieces. Short text has a known length. Other work runs while a long one is written. */
export function toJsonContent(pieces: Iterator<string, unknown>): Content {
  let text = ''
  while (text.length < MANY_CHARACTERS) {
    const step = pieces.next()
    if (step.done === true) return toContent(Buffer.from(text))
    text += step.value
  }
  return {
    mediaType: JSON_TYPE,
    async *read() {
      yield Buffer.from(text)
      for (let step = pieces.next(); step.done !== true; step = pieces.next()) {
        yield Buffer.from(step.value)
        await setImmediate()
      }
    },
  }
}

function toContent(bytes: Uint8Array): Content {
  return {
    mediaType: JSON_TYPE,
    length: bytes.length,
    async *read() {
      yield bytes
    },
  }
}
