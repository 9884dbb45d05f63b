import { type JsonNode, parseJsonCooperatively } from '@svc/json'
import { DocumentError } from '../errors.ts'
import { createPauses } from '../pauses.ts'
import { createTextPieces, MAX_TEXT_CHARACTERS } from './text-pieces.ts'

/** Levels that are told apart by blanks. Deeper ones look like this one. */
const MAX_INDENT = 16
const LONE_SURROGATE = /\p{Surrogate}/gu

/**
 * Writes a JSON document as lines that people can read: `key: value`, items of lists after `-`, two blanks more for each
 * level, up to 16 levels.
 *
 * @throws {DocumentError} `invalid_document` for text that is not JSON, or too deep; `document_limit` for too many lines
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
  const pieces = createTextPieces(MAX_TEXT_CHARACTERS)
  let lines = 0
  for (const line of writeLines(document.root)) {
    pieces.add(`${pieces.isEmpty ? '' : '\n'}${line.replaceAll(LONE_SURROGATE, '\ufffd')}`)
    lines += 1
    if (lines % 64 === 0) await pause()
  }
  const text = pieces.join()
  if (text.includes('\0')) throw new DocumentError('invalid_document', 'the document has a NUL character')
  return text
}

/** A value with what stands before it. */
interface Labelled {
  readonly node: JsonNode
  readonly label: string
  readonly depth: number
}

/** Writes a value and all inside of it. */
function* writeLines(root: JsonNode): Generator<string> {
  const open: Iterator<Labelled>[] = [[{ node: root, label: '', depth: 0 }].values()]
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const next = last.next()
    if (next.done === true) {
      open.pop()
      continue
    }
    const { node, label, depth } = next.value
    const indent = '  '.repeat(Math.min(depth, MAX_INDENT))
    const isNested = (node.kind === 'object' || node.kind === 'array') && node.length > 0
    if (!isNested) yield `${indent}${label}${writeLeaf(node)}`
    else {
      if (label !== '') yield `${indent}${label.trimEnd()}`
      open.push(listInner(node, label === '' ? depth : depth + 1))
    }
  }
}

function* listInner(node: JsonNode, depth: number): Generator<Labelled> {
  if (node.kind === 'array') for (const item of node.items()) yield { node: item, label: '- ', depth }
  else for (const { key, value } of node.entries()) yield { node: value, label: `${key.text()}: `, depth }
}

function writeLeaf(node: JsonNode): string {
  if (node.kind === 'string') return node.text()
  if (node.kind === 'object') return '{}'
  return node.kind === 'array' ? '[]' : String(node.toValue())
}
