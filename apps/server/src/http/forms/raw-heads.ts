import type { Dicer } from '@fastify/busboy'

/** The head of a part as it came, which the parser gives with the event `header`. */
export interface RawHead {
  /** The bytes in latin1 from the boundary to the empty line, cut at the largest head. Absent for an empty head. */
  readonly text?: string | undefined
}

/** The part of the parser that reads heads. */
interface HeadReader {
  readonly buffer: string
  header: RawHead
  _parseHeader(): void
}

/**
 * Makes a parser give heads as they came. Its own reading of them ends at the first line that is not a header, hides the
 * rest in silence.
 */
export function keepRawHeads(parser: Dicer): void {
  const heads: unknown = Reflect.get(parser, '_hparser')
  if (!isHeadReader(heads)) throw new TypeError('the parser of forms has another reader of heads')
  heads._parseHeader = () => {
    heads.header = { text: heads.buffer }
  }
}

function isHeadReader(value: unknown): value is HeadReader {
  return typeof value === 'object' && value !== null && '_parseHeader' in value && 'buffer' in value
}
