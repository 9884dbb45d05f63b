/** The writing half of a grpc-js call. */
interface WritableCall {
  write(message: unknown): boolean
  once(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
}

/**
 * Writes replies at the caller's speed: it pulls no reply from the handler while the connection is full. Ends early
 * when the signal is aborted.
 */
export async function sendReplies(
  call: WritableCall,
  replies: AsyncIterable<unknown>,
  { signal, encode }: { readonly signal: AbortSignal; readonly encode: (reply: unknown) => unknown },
): Promise<void> {
  for await (const reply of replies) {
    if (signal.aborted) break
    if (!call.write(encode(reply))) await drained(call, signal)
  }
  signal.throwIfAborted()
}

function drained(call: WritableCall, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      call.off('drain', done)
      call.off('close', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    call.once('drain', done)
    call.once('close', done)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}
