import type { JsonDocument } from '@svc/json'
import { unparsable } from './stages/body.ts'

/**
 * Refuses an array that is longer than any request has, before each of its items is checked: that would hold up
 * everybody else. Items of arrays inside it count too.
 *
 * @throws {SvcError} `invalid_request` naming the field
 */
export function limitItems(document: JsonDocument, field: string, max: number): void {
  const node = document.root.get(field)
  if (node === undefined || node.kind !== 'array') return
  let count = node.length
  if (count <= max) for (const item of node.items()) if (item.kind === 'array') count += item.length
  if (count > max) throw unparsable(`${field}: more than ${max} items`, field)
}
