import { type Document, isCollection, isMap, isSeq, LineCounter, parseDocument, stringify } from 'yaml'

/** A key of a model file, from the top: `['pii', 'enabled']`. */
export type KeyPath = readonly (string | number)[]

/** A parsed model file: the form and the text are two views of it. */
export interface ModelDocument {
  readonly text: string
  readonly document: Document
  readonly lines: LineCounter
}

/** Parses the text of a model file. Faults are in the document. */
export function parseModelText(text: string): ModelDocument {
  const lines = new LineCounter()
  return { text, document: parseDocument(text, { lineCounter: lines, keepSourceTokens: true }), lines }
}

/** Splits the path of a key as the server writes it: `pii.enabled`. */
export function splitPath(path: string): KeyPath {
  return path.split('.')
}

/** The value under a key, as plain data. */
export function readValue({ document }: ModelDocument, path: KeyPath): unknown {
  if (!isMap(document.contents)) return undefined
  const node = document.getIn(path, true)
  if (isCollection(node)) return node.toJS(document)
  return document.getIn(path)
}

/** Whether a key has a value. */
export function hasValue(model: ModelDocument, path: KeyPath): boolean {
  return isMap(model.document.contents) && model.document.hasIn(path)
}

/**
 * Sets a key and leaves the rest as it is: comments, order, unknown keys. Undefined removes the key, and also maps
 * that become empty.
 *
 * @returns the new text; the old text if it is not a map of keys
 */
export function writeValue(text: string, path: KeyPath, value: unknown): string {
  const { document } = parseModelText(text.trim() === '' ? '{}\n' : text)
  if (document.errors.length > 0 || !isMap(document.contents)) return text
  if (text.trim() === '') document.contents.flow = false
  if (value === undefined) removeIn(document, path)
  else if (hasParents(document, path)) document.setIn(path, document.createNode(value))
  else return text
  const flowCollectionPadding = /[[{] \S/.test(text)
  return isEmptyMap(document.contents) ? '' : document.toString({ lineWidth: 0, flowCollectionPadding })
}

function isEmptyMap(node: unknown): boolean {
  return isMap(node) && node.items.length === 0
}

/** Whether every value on the way is a map or absent: a value that is something else is not thrown away. */
function hasParents(document: Document, path: KeyPath): boolean {
  for (let depth = 1; depth < path.length; depth += 1) {
    const way = path.slice(0, depth)
    const node = document.getIn(way, true)
    if (node === undefined) return true
    if (isMap(node) || isSeq(node)) continue
    if (document.getIn(way) !== null) return false
    document.deleteIn(way)
  }
  return true
}

function removeIn(document: Document, path: KeyPath): void {
  document.deleteIn(path)
  for (let depth = path.length - 1; depth > 0; depth -= 1) {
    const way = path.slice(0, depth)
    if (!isEmptyMap(document.getIn(way, true))) return
    document.deleteIn(way)
  }
}

/** A value as YAML, for a field that shows a part of the file. */
export function printValue(value: unknown): string {
  return value === undefined ? '' : stringify(value, { lineWidth: 0 }).trimEnd()
}

/** Reads YAML that was typed into a field. */
export function parseValue(text: string): { readonly value: unknown } | { readonly fault: string } {
  if (text.trim() === '') return { value: undefined }
  const document = parseDocument(text)
  const fault = document.errors[0]
  return fault === undefined ? { value: document.toJS() } : { fault: fault.message.split('\n')[0] ?? fault.message }
}

/** The name that a model file gives, or undefined. */
export function readModelName(model: ModelDocument): string | undefined {
  const name = readValue(model, ['name'])
  return typeof name === 'string' || typeof name === 'number' ? String(name) : undefined
}
