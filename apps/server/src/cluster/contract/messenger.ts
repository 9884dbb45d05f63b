/** Options of a request over the bus. */
export interface RequestOptions {
  readonly signal: AbortSignal
  /** Longest wait for the reply, milliseconds. */
  readonly timeoutMs: number
}

/** Ends a subscription. */
export type Unsubscribe = () => void

/**
 * Messages between front ends and workers. Payloads are JSON. A message may be lost; a request that got no reply may
 * have been carried out.
 */
export interface Messenger {
  /** Whether the bus is connected at this moment. */
  readonly isConnected: boolean
  /** Sends without a reply. Never throws, never waits; while the bus is away the message is dropped. */
  publish(subject: string, payload: unknown): void
  /**
   * Sends and waits for one reply.
   *
   * @throws SvcError `no_responders`, `bus_disconnected` (unavailable) when nobody was asked; `bus_timeout` (timeout)
   *   when no reply came in time; the signal's reason
   */
  request(subject: string, payload: unknown, options: RequestOptions): Promise<unknown>
  /**
   * Calls the listener with each message of a subject, which may hold the wildcards of NATS. A listener's error is
   * logged. With a `queue`, one member of the queue gets each message.
   */
  subscribe(
    subject: string,
    listener: (payload: unknown, subject: string) => void,
    options?: { readonly queue?: string | undefined },
  ): Unsubscribe
  /**
   * Answers the requests of a subject. What the handler returns is the reply; the subject's own reply form tells errors,
   * so a handler that throws is a fault: it is logged and no reply is sent.
   */
  serve(
    subject: string,
    handler: (
      payload: unknown,
      context: { readonly subject: string; readonly signal: AbortSignal },
    ) => Promise<unknown>,
    options?: { readonly queue?: string | undefined },
  ): Unsubscribe
  /** Calls the listener when the connection is lost or back. */
  onConnection(listener: (isConnected: boolean) => void): Unsubscribe
  /** Ends all subscriptions and aborts running handlers. Resolves when the connection is closed. */
  close(): Promise<void>
}
