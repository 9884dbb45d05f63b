/** Search parameters of the page. */
export interface TalkSearch {
  /** The pipeline to talk with. */
  readonly model?: string
}

export function readTalkSearch({ model }: Record<string, unknown>): TalkSearch {
  return typeof model === 'string' && model !== '' ? { model } : {}
}
