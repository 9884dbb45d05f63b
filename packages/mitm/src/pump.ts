import type { Readable, Writable } from 'node:stream'

/** Options of {@link pump}. */
export interface PumpOptions {
  /** Called for each piece with its size. */
  readonly onBytes: (count: number) => void
  /** Called once all of it was written; ending the writable is up to the caller. */
  readonly onEnd: () => void
  /** Called once for a readable that ends early. Not called when the writable closes: its owner sees that. */
  readonly onFail: (error: unknown) => void
  /** Changes the pieces; the result of `end` follows the last one. */
  readonly change?: { push(bytes: Uint8Array): readonly Uint8Array[]; end(): readonly Uint8Array[] } | undefined
}

/** Moves bytes as they come, no faster than the writable takes them. Returns a function that stops. */
export function pump(from: Readable, to: Writable, { onBytes, onEnd, onFail, change }: PumpOptions): () => void {
  let isOver = false
  const finish = (): void => {
    isOver = true
    from.removeListener('data', take)
    to.removeListener('drain', resume)
  }
  const fail = (error: unknown): void => {
    if (isOver) return
    finish()
    onFail(error)
  }
  const write = (bytes: Uint8Array): void => {
    if (!to.write(bytes)) from.pause()
  }
  const take = (bytes: Buffer): void => {
    onBytes(bytes.length)
    if (change === undefined) {
      write(bytes)
      return
    }
    attempt(() => change.push(bytes).forEach(write))
  }
  const resume = (): void => {
    onBytes(0)
    from.resume()
  }
  const attempt = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      fail(error)
    }
  }
  const end = (): void => {
    if (isOver) return
    attempt(() => change?.end().forEach(write))
    if (isOver) return
    finish()
    onEnd()
  }
  to.on('drain', resume)
  from.on('data', take)
  // An empty stream of HTTP/2 ends without a reader: its event is over when the pump begins after a wait.
  if (from.readableEnded) process.nextTick(end)
  else from.once('end', end)
  from.once('error', fail)
  from.once('close', () => {
    if (!from.readableEnded) fail(new Error('closed before its end'))
  })
  return finish
}
