import type { RequestDocument } from '../documents/request-document.ts'

/** Longer names are no names. */
const MAX_BYTES = 1024

/** The name of an end user, and its bytes in the request. */
export interface NamedEndUser {
  readonly name: string
  /** Byte offset of the first byte of its text. */
  readonly start: number
  /** Byte offset after the last byte. */
  readonly end: number
}

/** The end user whom a request names: `metadata.user_id` of the messages format, else `user` or `safety_identifier`. */
export function readEndUser(document: Pick<RequestDocument, 'texts'>): NamedEndUser | undefined {
  const { root } = document.texts()
  for (const node of [root.get('metadata')?.get('user_id'), root.get('user'), root.get('safety_identifier')]) {
    if (node?.kind !== 'string' || node.end - node.start > MAX_BYTES) continue
    const name = node.text().trim()
    if (name !== '') return { name, start: node.start, end: node.end }
  }
  return undefined
}
