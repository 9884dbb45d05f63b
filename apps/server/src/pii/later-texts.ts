import { applySplices, parseJson, type Splice } from '@svc/json'
import { collectSegments, type SegmentCollection } from '@svc/pii/documents'

/** Texts that join a request, read as the results of tools in it are: JSON in a text is scanned value by value. */
export interface LaterTexts {
  readonly collection: SegmentCollection
  /** The path of a place for events: `later[0]` is the first text. */
  toPath(path: string): string
  /** Gives the texts with the edits. */
  edit(splices: readonly Splice[]): readonly string[]
}

/** Collects what is scanned in texts. */
export function collectLaterTexts(texts: readonly string[]): LaterTexts {
  const messages = texts.map((content) => ({ role: 'tool', content }))
  const bytes = Buffer.from(JSON.stringify({ messages }))
  return {
    collection: collectSegments(parseJson(bytes), 'chat-completions'),
    toPath: (path) => path.replace(/^messages(\[\d+\])\.content/, 'later$1'),
    edit(splices) {
      const edited: { readonly messages: typeof messages } = JSON.parse(
        Buffer.from(applySplices(bytes, splices)).toString('utf8'),
      )
      return edited.messages.map(({ content }) => content)
    },
  }
}
