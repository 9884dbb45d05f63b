import type { JsonDocument } from '@svc/json'
import { unparsable } from './unparsable.ts'

/**
 * Refuses an array or an object that is longer than any real request has, before its items are checked one by one: that
 * check would block the event loop. Items of nested arrays count too.
 *
 * @throws {SvcError} `invalid_request` naming the field
 */
export function limitItems(document: JsonDocument, field: string, max: number): void {
  const node = document.root.get(field)
  if (node === undefined) return
  let count = node.length
  if (count <= max) for (const item of node.items()) if (item.kind === 'array') count += item.length
  if (count > max) throw unparsable(`${field}: more than ${max} items`, field)
}
