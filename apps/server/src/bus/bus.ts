import type { Messages, Subject } from './subjects.ts'

/** Takes the messages of a subject. It reads the truth that a message names. */
export type Listener<S extends Subject> = (message: Messages[S]) => void

/**
 * Reads the truth of a subject again after a message of another process. Returns what has changed in this process, for
 * its listeners; undefined when nothing has.
 */
export type Refresh<S extends Subject> = (
  message: Messages[S],
) => Messages[S] | undefined | Promise<Messages[S] | undefined>

/**
 * Carries hints between the parts of a server, and between servers. The database or a file is the truth: a message may
 * be lost, come twice or come late.
 *
 * Listeners of the publishing process are called before {@link Bus.publish} returns. Listeners of other processes are
 * called later, after the truth has been read again there.
 */
export interface Bus {
  /** Publishes a message. Never throws, whatever a listener does. */
  publish<S extends Subject>(subject: S, message: Messages[S]): void
  /**
   * Calls the listener with each message from now on. An error of the listener is logged.
   *
   * @returns ends the subscription, as the signal does
   * @throws {SvcError} `unavailable`, code `bus_full`, when the subject has too many listeners
   */
  subscribe<S extends Subject>(
    subject: S,
    listener: Listener<S>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): () => void
  /**
   * Sets the part that keeps a copy of the truth in this process. Messages of other processes go to it first, one at a
   * time; only its result reaches the listeners.
   *
   * @returns ends this
   */
  refreshWith<S extends Subject>(subject: S, refresh: Refresh<S>): () => void
  /** Ends all subscriptions. Resolves when no refresh runs. */
  close(): Promise<void>
}

/**
 * Connects the buses of several processes. It carries texts and may lose, repeat and reorder them. It may also drop a text
 * that equals one which waits: progress is published often.
 */
export interface BusLink {
  /** Sends to every other process. Never throws, never waits; bounds what it holds. */
  send(subject: string, text: string): void
  /** Sets the receiver. Called once. */
  receive(onMessage: (subject: string, text: string) => void): void
  close(): Promise<void>
}
