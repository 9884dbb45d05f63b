import type { JsonNode } from '@svc/json'
import { parseCallJson, toJsonObjectText, toJsonText } from './json-text.ts'
import type { ParsedToolCall } from './tool-call.ts'

/** Where a JSON object says which tool is called. */
export interface JsonShape {
  readonly nameKey: string
  readonly argumentsKey: string
  readonly idKey: string
  /** The object under this key is the call, if there is one. */
  readonly functionKey: string
  /** The object has one key, the name, and the arguments are under it. */
  readonly nameIsKey: boolean
}

/** How arguments are read. */
export interface ArgumentOptions {
  /** Text that is no JSON object becomes `{"query": text}`. */
  readonly wrapsText: boolean
}

/**
 * The calls that a JSON text consists of: an object that is one, or an array of nothing else. Undefined when it is no
 * call in any of the shapes, which are tried in order.
 *
 * @param json valid JSON, no deeper than `MAX_JSON_DEPTH`
 */
export function readJsonCalls(
  json: string,
  shapes: readonly JsonShape[],
  options: ArgumentOptions,
): readonly ParsedToolCall[] | undefined {
  const root = parseCallJson(json)
  const nodes = root.kind === 'array' ? [...root.items()] : [root]
  const calls: ParsedToolCall[] = []
  for (const node of nodes) {
    const call = readInShapes(node, shapes, options)
    if (call === undefined) return undefined
    calls.push(call)
  }
  return calls.length === 0 ? undefined : calls
}

/** Arguments that were written as text: as JSON where they are, empty ones as an empty object. */
export function readArgumentText(text: string, { wrapsText }: ArgumentOptions): string {
  if (wrapsText) return toJsonObjectText(text) ?? JSON.stringify({ query: text })
  return text.trim() === '' ? '{}' : (toJsonText(text) ?? text)
}

function readInShapes(
  node: JsonNode,
  shapes: readonly JsonShape[],
  options: ArgumentOptions,
): ParsedToolCall | undefined {
  if (node.kind !== 'object') return undefined
  for (const shape of shapes) {
    const call = shape.nameIsKey ? readKeyedCall(node, options) : readCall(node, shape, options)
    if (call !== undefined) return call
  }
  return undefined
}

function readCall(node: JsonNode, shape: JsonShape, options: ArgumentOptions): ParsedToolCall | undefined {
  const inner = shape.functionKey === '' ? undefined : node.get(shape.functionKey)
  const call = inner?.kind === 'object' ? inner : node
  const name = textOf(call.get(shape.nameKey))
  const value = call.get(shape.argumentsKey)
  if (name === '' || value === undefined) return undefined
  const id = shape.idKey === '' ? '' : textOf(node.get(shape.idKey) ?? call.get(shape.idKey))
  return { name, arguments: readArguments(value, options), ...(id === '' ? {} : { id }) }
}

function readKeyedCall(node: JsonNode, options: ArgumentOptions): ParsedToolCall | undefined {
  const [member, ...others] = node.entries()
  if (member === undefined || others.length > 0 || member.value.kind !== 'object') return undefined
  const name = member.key.text()
  return name === '' ? undefined : { name, arguments: readArguments(member.value, options) }
}

function readArguments(value: JsonNode, options: ArgumentOptions): string {
  return value.kind === 'string' ? readArgumentText(value.text(), options) : value.rawText()
}

function textOf(node: JsonNode | undefined): string {
  return node?.kind === 'string' ? node.text() : ''
}
