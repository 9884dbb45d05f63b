import { Composer, type CST, type Document, LineCounter, Schema } from 'yaml'
import { MODEL_FILE_LIMITS, type YamlLimits } from './limits.ts'
import { isNull, type YamlNode } from './node.ts'
import { toYamlNode } from './to-yaml-node.ts'
import { readDocuments } from './tokens.ts'
import { YamlFault } from './yaml-fault.ts'

/** Result of reading a YAML text: its first document, or the reason why there is none. */
export type YamlResult =
  | { readonly ok: true; readonly root: YamlNode }
  | { readonly ok: false; readonly line?: number | undefined; readonly reason: string }

/**
 * Reads the first document of an untrusted YAML text. Sizes and depth are checked before the library composes anything,
 * because it recurses, and a deep stack can end the whole process. Duplicate keys are found with a set, because the
 * library compares keys in pairs. Scalars stay text; the reader of a key converts them.
 */
export function readYaml(
  content: Uint8Array | string,
  { limits = MODEL_FILE_LIMITS, ...options }: ReadYamlOptions = {},
): YamlResult {
  for (const result of read(content, { ...options, limits })) return result
  return { ok: false, reason: 'holds no document' }
}

/**
 * Reads all documents of an untrusted YAML text, as {@link readYaml} does. Empty ones are left out, and one with a fault
 * costs no other. The limit of values holds for all together.
 */
export function readYamlDocuments(content: Uint8Array | string, limits: YamlLimits = MODEL_FILE_LIMITS): YamlResult[] {
  const results: YamlResult[] = []
  let values = 0
  for (const result of read(content, { limits })) {
    if (result.ok && isNull(result.root)) continue
    if (result.ok) values += result.root.weight
    if (values > limits.nodes || results.length >= MAX_DOCUMENTS) {
      return [...results, { ok: false, reason: `has more than ${limits.nodes} values or ${MAX_DOCUMENTS} documents` }]
    }
    results.push(result)
  }
  return results
}

/** Options of {@link readYaml}. */
export interface ReadYamlOptions {
  readonly limits?: YamlLimits | undefined
  /** Treatment of a doubled key of a map. Text of others takes the last value. @default 'refuse' */
  readonly repeatedKeys?: 'refuse' | 'last' | undefined
}

const MAX_DOCUMENTS = 1000

function* read(
  content: Uint8Array | string,
  { limits, repeatedKeys }: ReadYamlOptions & { readonly limits: YamlLimits },
): Generator<YamlResult> {
  const lines = new LineCounter()
  const toResult = (found: () => YamlNode): YamlResult => {
    try {
      return { ok: true, root: found() }
    } catch (error) {
      if (error instanceof YamlFault) return { ok: false, line: error.line, reason: error.message }
      throw error
    }
  }
  let text: string
  try {
    text = toText(content, limits.bytes)
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error
    return yield { ok: false, line: error.line, reason: error.message }
  }
  for (const tokens of readDocuments(text, { limits, lines })) {
    yield toResult(() => {
      if (tokens instanceof YamlFault) throw tokens
      return toYamlNode(compose(tokens, lines, text.length), { limits, lines, repeatedKeys })
    })
  }
}

function toText(content: Uint8Array | string, maxBytes: number): string {
  const size = typeof content === 'string' ? Buffer.byteLength(content) : content.length
  if (size > maxBytes) throw new YamlFault(`is larger than ${maxBytes} bytes`)
  const text = typeof content === 'string' ? content : decode(content)
  let line = 1
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 0x0a) line += 1
    else if ((code < 0x20 && code !== 0x09 && code !== 0x0d) || code === 0x7f) {
      throw new YamlFault('holds a control character, it is not text', line)
    }
  }
  return text
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new YamlFault('is not UTF-8 text')
  }
}

/** Text, lists and maps. All documents share it, because creating it takes longer than a small document. */
const FAILSAFE = new Schema({ schema: 'failsafe', resolveKnownTags: false, merge: false })

/** Composes the abstract tree. The first error of the library ends it; later ones follow from it. */
function compose(tokens: readonly CST.Token[], lines: LineCounter, length: number): Document.Parsed {
  const composer = new Composer({
    version: '1.2',
    schema: FAILSAFE,
    uniqueKeys: false,
    resolveKnownTags: false,
    merge: false,
    prettyErrors: false,
    logLevel: 'silent',
  })
  const failAt = (offset: number, message: string) => new YamlFault(message, lines.linePos(Math.max(0, offset)).line)
  // A text full of mistakes would otherwise collect an error object with its stack for each of them.
  let first: YamlFault | undefined
  Object.defineProperty(composer, 'onError', {
    value: (
      source: number | [number, number] | { offset: number },
      _code: string,
      message: string,
      warning?: boolean,
    ) => {
      if (warning === true) return
      const offset = typeof source === 'number' ? source : Array.isArray(source) ? source[0] : source.offset
      first ??= failAt(offset, message)
      throw first
    },
  })
  for (const document of composer.compose(tokens, true, length)) {
    const [error] = document.errors
    if (error !== undefined) throw failAt(error.pos[0], error.message)
    return document
  }
  throw new YamlFault('holds no document')
}
