import { onSignOut } from '../viewer-data.ts'
import { createObservable, type MutableObservable } from './observable.ts'
import type { Attachment, Failure } from './types.ts'

/** Content of a composer that has not been sent. */
export interface Draft {
  readonly text: string
  readonly attachments: readonly Attachment[]
  /** Reason why the server refused the message that came back here. */
  readonly failure?: Failure | undefined
  /** The message that is edited; sending makes a new version of it. */
  readonly editedId?: string | undefined
}

export const EMPTY_DRAFT: Draft = { text: '', attachments: [] }

/** Texts in composers, by chat. Texts outlive a reload and a session that ends by itself; files do not, and sign-out ends all. */
export class Drafts {
  readonly #prefix: string
  readonly #drafts = new Map<string, MutableObservable<Draft>>()
  readonly #storage = sessionStorage
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(viewerId: string) {
    this.#prefix = `svc-draft:${viewerId}:`
    addEventListener('pagehide', () => this.#save())
    onSignOut(() => {
      for (const draft of this.#drafts.values()) draft.set(EMPTY_DRAFT)
      const stored = Array.from({ length: this.#storage.length }, (_, index) => this.#storage.key(index) ?? '')
      for (const key of stored.filter((one) => one.startsWith(this.#prefix))) this.#storage.removeItem(key)
    })
  }

  /** The draft of a chat. @param key the chat, or a place such as `new` */
  open(key: string): MutableObservable<Draft> {
    const known = this.#drafts.get(key)
    if (known !== undefined) return known
    const draft = createObservable<Draft>({ ...EMPTY_DRAFT, text: this.#storage.getItem(this.#prefix + key) ?? '' })
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
      if (text === '') this.#storage.removeItem(this.#prefix + key)
      else
        try {
          this.#storage.setItem(this.#prefix + key, text)
        } catch {
          // a text that is too long for the tab's store lives as long as the page
        }
    }
  }
}
