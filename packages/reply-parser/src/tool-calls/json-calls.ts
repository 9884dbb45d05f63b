import type { JsonNode } from '@svc/json'
import type { OfferedCall } from './call-sink.ts'
import { parseCallJson, toJsonObjectText, toJsonText } from './json-text.ts'
import type { ParsedToolCall } from './tool-call.ts'

/** Keys that hold the called tool in a JSON object. */
export interface JsonShape {
  readonly nameKey: string
  readonly argumentsKey: string
  readonly idKey: string
  /** The object under this key is the call, if there is one. */
  readonly functionKey: string
  /** The object has one key, the name, and the arguments are under it. */
  readonly nameIsKey: boolean
}

/** Options of reading arguments. */
export interface ArgumentOptions {
  /** Text that is not a JSON object becomes `{"query": text}`. */
  readonly wrapsText: boolean
}

/**
 * Reads the calls of a JSON text: an object, or an array whose items may be calls. The shapes are tried in order.
 *
 * @param json valid JSON, no deeper than `MAX_JSON_DEPTH`
 */
export function readJsonCalls(
  json: string,
  shapes: readonly JsonShape[],
  options: ArgumentOptions,
): readonly OfferedCall[] {
  const root = parseCallJson(json)
  const nodes = root.kind === 'array' ? [...root.items()] : [root]
  return nodes.map((node) => ({ call: readInShapes(node, shapes, options), source: node.rawText() }))
}

/** Reads arguments that were written as text: as JSON where they parse, empty text as an empty object. */
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
  const name = readText(call.get(shape.nameKey))
  const value = call.get(shape.argumentsKey)
  if (name === '' || value === undefined) return undefined
  const id = shape.idKey === '' ? '' : readText(node.get(shape.idKey) ?? call.get(shape.idKey))
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

function readText(node: JsonNode | undefined): string {
  return node?.kind === 'string' ? node.text() : ''
}
