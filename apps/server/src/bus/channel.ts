import { SvcError } from '@svc/errors'
import type { Logger } from '../ports.ts'
import type { Listener, Refresh } from './bus.ts'
import { type Messages, SUBJECTS, type Subject, type SubjectRules } from './subjects.ts'

/** Maximum number of listeners of a subject. */
export const MAX_LISTENERS = 4096
/** Maximum length of a message to other processes as JSON, in characters. */
export const MAX_MESSAGE = 256 * 1024
/** Maximum number of messages of other processes that wait for the refresh of a subject. */
export const MAX_WAITING = 256

/** One subject in this process: its listeners, and the messages of other processes. */
export class Channel<S extends Subject> {
  readonly #subject: S
  readonly #rules: SubjectRules<S>
  readonly #logger: Pick<Logger, 'warn' | 'error'>
  readonly #listeners = new Set<{ readonly call: Listener<S> }>()
  /** Messages of other processes that wait for the refresh, as JSON. */
  readonly #waiting: string[] = []
  #refresh: Refresh<S> | undefined
  #isTaking = false
  /** Settles when no message is being taken. */
  #taken: Promise<void> = Promise.resolve()

  constructor(subject: S, logger: Pick<Logger, 'warn' | 'error'>) {
    this.#subject = subject
    this.#rules = SUBJECTS[subject]
    this.#logger = logger
  }

  subscribe(call: Listener<S>, signal: AbortSignal | undefined): () => void {
    const listeners = this.#listeners
    if (listeners.size >= MAX_LISTENERS) {
      throw new SvcError('unavailable', `"${this.#subject}" has too many listeners`, {
        code: 'bus_full',
        retryAfterMs: 1000,
      })
    }
    // An entry of its own, so that a listener that is subscribed twice can end one subscription.
    const entry = { call }
    const end = (): void => {
      listeners.delete(entry)
      signal?.removeEventListener('abort', end)
    }
    listeners.add(entry)
    signal?.addEventListener('abort', end)
    return end
  }

  refreshWith(refresh: Refresh<S>): () => void {
    if (this.#refresh !== undefined) {
      throw new SvcError('internal', `another part reads the truth of "${this.#subject}"`)
    }
    this.#refresh = refresh
    return () => {
      if (this.#refresh === refresh) this.#refresh = undefined
    }
  }

  /** Calls the listeners of this process. */
  deliver(message: Messages[S]): void {
    for (const entry of [...this.#listeners]) {
      // An earlier listener may have ended this subscription.
      if (!this.#listeners.has(entry)) continue
      try {
        entry.call(message)
      } catch (error) {
        this.#logger.error({ err: error, subject: this.#subject }, 'a listener of the bus failed')
      }
    }
  }

  /** Converts a message for other processes. Returns undefined for one that only this process gets. */
  toText(message: Messages[S]): string | undefined {
    const { reach, shorten } = this.#rules
    if (reach === 'own') return undefined
    const whole = JSON.stringify(message)
    const text = whole.length > MAX_MESSAGE && shorten !== undefined ? JSON.stringify(shorten(message)) : whole
    if (text.length <= MAX_MESSAGE) return text
    this.#logger.warn({ subject: this.#subject, length: text.length }, 'a message is too long for other servers')
    return undefined
  }

  /** Takes a message of another process. Equal messages that wait become one. */
  take(text: string): void {
    const waiting = this.#waiting
    if (this.#rules.reach === 'own' || text.length > MAX_MESSAGE || waiting.includes(text)) return
    if (waiting.length >= MAX_WAITING) {
      this.#logger.warn({ subject: this.#subject }, 'messages of other servers come too fast, one is dropped')
      return
    }
    waiting.push(text)
    if (!this.#isTaking) this.#taken = this.#takeAll()
  }

  /** Ends all subscriptions. Resolves when no refresh runs. */
  async close(): Promise<void> {
    this.#listeners.clear()
    this.#waiting.length = 0
    await this.#taken
  }

  async #takeAll(): Promise<void> {
    this.#isTaking = true
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
      const message = this.#parse(text)
      const changed = message && (await this.#readTruth(message))
      if (changed !== undefined) this.deliver(changed)
    }
    this.#isTaking = false
  }

  async #readTruth(message: Messages[S]): Promise<Messages[S] | undefined> {
    if (this.#refresh === undefined) return message
    try {
      return await this.#refresh(message)
    } catch (error) {
      this.#logger.error({ err: error, subject: this.#subject }, 'a change of another server could not be read')
      return undefined
    }
  }

  #parse(text: string): Messages[S] | undefined {
    try {
      const value: unknown = JSON.parse(text)
      if (this.#rules.isMessage(value)) return value
    } catch {
      // Reported with every other unknown form.
    }
    this.#logger.warn({ subject: this.#subject }, 'a message of another server has an unknown form')
    return undefined
  }
}
