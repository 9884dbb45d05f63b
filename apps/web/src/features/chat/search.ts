/** Search parameters of the chat pages. */
export interface ChatSearch {
  /** Words in the titles of the list. */
  readonly q?: string
  /** Whether narrow screens show the list instead of a chat. */
  readonly list?: boolean
}

export function readChatSearch({ q, list }: Record<string, unknown>): ChatSearch {
  return {
    ...(typeof q === 'string' && q !== '' && { q: q.slice(0, 200) }),
    ...((list === true || list === 'true') && { list: true }),
  }
}
