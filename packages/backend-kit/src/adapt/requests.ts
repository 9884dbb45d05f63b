/** The reading half of a grpc-js call with many requests. */
interface ReadableCall {
  read(): unknown
  on(event: 'readable' | 'end', listener: () => void): unknown
}

/**
 * Pulls the requests of a call one at a time, until the caller ends its stream.
 *
 * @throws the reason of the abort, at once, also while waiting
 */
export function receiveRequests(call: ReadableCall, signal: AbortSignal): AsyncIterable<unknown> {
  let wake = () => {}
  let ended = false
  call.on('readable', () => wake())
  call.on('end', () => {
    ended = true
    wake()
  })
  signal.addEventListener('abort', () => wake(), { once: true })

  async function* pull() {
    while (true) {
      signal.throwIfAborted()
      const message = call.read()
      if (message !== null) yield message
      else if (ended) return
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  }
  return pull()
}
