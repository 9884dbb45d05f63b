import { Parser } from 'htmlparser2'
import { DocumentError } from '../errors.ts'
import { createPauses } from '../pauses.ts'
import { BINARY_LIMITS } from './limits.ts'

/** Attributes of an element, by their names without prefix. */
export type XmlAttributes = ReadonlyMap<string, string>

/** Takes what is in an XML document, in its order. Names have no prefix. */
export interface XmlVisitor {
  open?(name: string, attributes: XmlAttributes): void
  text?(text: string): void
  close?(name: string): void
}

/** Options of {@link walkXml}. */
export interface XmlOptions {
  /** Names of the attributes that the visitor reads. All others are passed over. */
  readonly attributes?: readonly string[]
  /** Names of elements that are passed over with all that is in them. */
  readonly leftOut?: ReadonlySet<string>
  readonly signal: AbortSignal
}

const DECODED_PIECE_CHARACTERS = 16_384

/**
 * Reads an XML document: UTF-8, or UTF-16 with its byte order mark. Entities of its own, external ones included, are
 * never expanded: a document that declares them is refused.
 *
 * @throws {DocumentError} `invalid_document`, `document_limit` for too many elements inside of each other
 */
export async function walkXml(pieces: Iterable<Uint8Array>, visitor: XmlVisitor, options: XmlOptions): Promise<void> {
  const { pause } = createPauses(options.signal)
  const parser = createParser(visitor, options)
  for (const text of decode(pieces)) {
    for (let at = 0; at < text.length; at += DECODED_PIECE_CHARACTERS) {
      parser.write(text.slice(at, at + DECODED_PIECE_CHARACTERS))
      await pause()
    }
  }
  parser.end()
}

function createParser(visitor: XmlVisitor, { attributes = [], leftOut = new Set() }: XmlOptions): Parser {
  const wanted = new Set(attributes)
  let depth = 0
  /** Depth of the outermost element that is left out; 0 outside of such elements. */
  let leftOutAt = 0
  /** The element whose attributes follow. */
  let opened: { readonly name: string; readonly attributes: Map<string, string> } | undefined

  function finishOpening(): void {
    if (opened === undefined) return
    const { name, attributes: found } = opened
    opened = undefined
    visitor.open?.(name, found)
  }

  return new Parser(
    {
      onprocessinginstruction(name, data) {
        if (name.toLowerCase() === '!doctype' && data.includes('[')) {
          throw new DocumentError('invalid_document', 'the document declares entities of its own, which are not read')
        }
      },
      onopentagname(qualified) {
        finishOpening()
        depth += 1
        if (depth > BINARY_LIMITS.depth) {
          throw new DocumentError('document_limit', `the document has over ${BINARY_LIMITS.depth} nested elements`)
        }
        if (leftOutAt > 0) return
        const name = toLocal(qualified)
        if (leftOut.has(name)) leftOutAt = depth
        else opened = { name, attributes: new Map() }
      },
      onattribute(qualified, value) {
        const name = toLocal(qualified)
        // One with a prefix counts more: `r:id` beside `id` names a part.
        const isFirst = opened?.attributes.has(name) === false
        if (wanted.has(name) && (isFirst || name !== qualified)) opened?.attributes.set(name, value)
      },
      ontext(text) {
        finishOpening()
        if (leftOutAt === 0) visitor.text?.(text)
      },
      onclosetag(qualified) {
        finishOpening()
        if (leftOutAt === 0) visitor.close?.(toLocal(qualified))
        else if (leftOutAt === depth) leftOutAt = 0
        depth -= 1
      },
    },
    { xmlMode: true },
  )
}

function toLocal(qualified: string): string {
  return qualified.slice(qualified.indexOf(':') + 1)
}

function* decode(pieces: Iterable<Uint8Array>): Generator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  try {
    for (const piece of pieces) {
      if (piece.length === 0) continue
      decoder ??= new TextDecoder(findEncoding(piece), { fatal: true })
      yield decoder.decode(piece, { stream: true })
    }
    yield decoder?.decode() ?? ''
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new DocumentError('invalid_document', 'the document is damaged: a part is not text of its encoding', {
      cause: error,
    })
  }
}

function findEncoding([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}
