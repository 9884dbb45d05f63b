import { createObservable, type MutableObservable } from './observable.ts'
import type { Attachment, Failure } from './types.ts'

/** What stands in a composer and has not been sent. */
export interface Draft {
  readonly text: string
  readonly attachments: readonly Attachment[]
  /** Why the server refused the message that came back here. */
  readonly failure?: Failure | undefined
  /** The message that is edited; sending makes a new version of it. */
  readonly editedId?: string | undefined
}

export const EMPTY_DRAFT: Draft = { text: '', attachments: [] }

/** Texts in composers, by chat. Texts outlive a reload and a new sign-in in the same tab; files do not. */
export class Drafts {
  readonly #prefix: string
  readonly #drafts = new Map<string, MutableObservable<Draft>>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(viewerId: string) {
    this.#prefix = `svc-draft:${viewerId}:`
    addEventListener('pagehide', () => this.#save())
  }

  /** The draft of a chat. @param key the chat, or a place such as `new` */
  open(key: string): MutableObservable<Draft> {
    const known = this.#drafts.get(key)
    if (known !== undefined) return known
    const draft = createObservable<Draft>({ ...EMPTY_DRAFT, text: sessionStorage.getItem(this.#prefix + key) ?? '' })
    draft.subscribe(() => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.#save(), 300)
    })
    this.#drafts.set(key, draft)
    return draft
  }

  has(key: string): boolean {
    return this.open(key).get().text !== ''
  }

  #save(): void {
    for (const [key, draft] of this.#drafts) {
      const { text } = draft.get()
      if (text === '') sessionStorage.removeItem(this.#prefix + key)
      else
        try {
          sessionStorage.setItem(this.#prefix + key, text)
        } catch {
          // a text that is too long for the tab's store lives as long as the page
        }
    }
  }
}
