/** Takes the replies of a stream as they arrive. */
export interface ReplySink<Reply> {
  /**
   * Takes the replies that arrived in one turn of the event loop, in order, at least one. Must not keep the array. An
   * error thrown here ends the stream, and {@link onEnd} gets it.
   */
  onReplies(replies: readonly Reply[]): void
  /** Comes once, last. Without an error the stream has ended well. */
  onEnd(error: Error | undefined): void
}

/** A stream on its way into a sink. */
export interface ReplyFlow {
  /**
   * Holds the stream back: no replies come until {@link resume}, and the backend has to wait once the window of the
   * connection is full. An end without replies before it still comes.
   */
  pause(): void
  resume(): void
  /**
   * Breaks the stream off. Nothing comes after this, not even an end. A generator of another client hears of it with
   * its next reply; abort its signal to end it at once.
   */
  cancel(): void
}

/** The method that pushes a stream of this package. */
export const PUSH = Symbol('push')

/** A stream of replies that can be pushed. */
export interface PushableReplies<Reply> extends AsyncGenerator<Reply, void, void> {
  [PUSH](sink: ReplySink<Reply>): ReplyFlow
}

/**
 * Pushes a stream of replies into a sink instead of pulling them one by one. The replies that one turn of the event
 * loop has read come in one batch, without a promise between them. The replies of another generator, and of a stream
 * whose call runs already, come one by one.
 *
 * @example
 * const flow = pushReplies(client.predictStream({ Prompt: 'Hello' }, { signal }), {
 *   onReplies: (replies) => response.write(Buffer.concat(replies.map(toEvent))) || flow.pause(),
 *   onEnd: (error) => response.end(error && toErrorEvent(error)),
 * })
 * response.on('drain', () => flow.resume())
 */
export function pushReplies<Reply>(replies: AsyncGenerator<Reply, void, void>, sink: ReplySink<Reply>): ReplyFlow {
  return isPushable(replies) ? replies[PUSH](sink) : pullInto(replies, sink)
}

function isPushable<Reply>(replies: AsyncGenerator<Reply, void, void>): replies is PushableReplies<Reply> {
  return PUSH in replies
}

/** Pulls replies into a sink, one by one. */
export function pullInto<Reply>(replies: AsyncGenerator<Reply, void, void>, sink: ReplySink<Reply>): ReplyFlow {
  let isCancelled = false
  let resume: (() => void) | undefined
  let resumed: Promise<void> | undefined

  const pull = async (): Promise<void> => {
    for await (const reply of replies) {
      while (resumed) await resumed
      if (isCancelled) return
      sink.onReplies([reply])
    }
  }
  const end = (error: Error | undefined): void => {
    if (!isCancelled) sink.onEnd(error)
  }
  void pull().then(
    () => end(undefined),
    (error: unknown) => end(error instanceof Error ? error : new Error(String(error))),
  )
  const wake = (): void => {
    resume?.()
    resume = undefined
    resumed = undefined
  }
  return {
    pause() {
      resumed ??= new Promise((resolve) => {
        resume = resolve
      })
    },
    resume: wake,
    cancel() {
      isCancelled = true
      wake()
      void replies.return().catch(() => {})
    },
  }
}
