import { type JsonNode, parseJsonCooperatively } from '@svc/json'
import { DocumentError } from '../errors.ts'
import { createPauses } from '../pauses.ts'

/** Values deeper than this are written on one line, as JSON. */
const MAX_INDENT = 32
const LONE_SURROGATE = /\p{Surrogate}/gu

/**
 * Writes a JSON document as lines that people can read: `key: value`, items of lists after `-`, two blanks more for each
 * level.
 *
 * @throws {DocumentError} `invalid_document` for text that is not JSON, or too deep
 */
export async function readJson(json: string, signal: AbortSignal): Promise<string> {
  const document = await parseJsonCooperatively(new TextEncoder().encode(json), {}, { signal }).catch(
    (error: unknown) => {
      signal.throwIfAborted()
      const reason = error instanceof Error ? error.message : 'unreadable'
      throw new DocumentError('invalid_document', `the document is not JSON: ${reason}`, { cause: error })
    },
  )
  const { pause } = createPauses(signal)
  const lines: string[] = []
  for (const line of writeNode(document.root, '', 0)) {
    lines.push(line.replaceAll(LONE_SURROGATE, '\ufffd'))
    if (lines.length % 64 === 0) await pause()
  }
  const text = lines.join('\n')
  if (text.includes('\0')) throw new DocumentError('invalid_document', 'the document has a NUL character')
  return text
}

function* writeNode(node: JsonNode, label: string, depth: number): Generator<string> {
  const indent = '  '.repeat(depth)
  const isNested = (node.kind === 'object' || node.kind === 'array') && node.length > 0
  if (!isNested) yield `${indent}${label}${writeLeaf(node)}`
  else if (depth >= MAX_INDENT) yield `${indent}${label}${JSON.stringify(node.toValue())}`
  else {
    if (label !== '') yield `${indent}${label.trimEnd()}`
    const inner = label === '' ? depth : depth + 1
    if (node.kind === 'array') for (const item of node.items()) yield* writeNode(item, '- ', inner)
    else for (const { key, value } of node.entries()) yield* writeNode(value, `${key.text()}: `, inner)
  }
}

function writeLeaf(node: JsonNode): string {
  if (node.kind === 'string') return node.text()
  if (node.kind === 'object') return '{}'
  return node.kind === 'array' ? '[]' : String(node.toValue())
}
