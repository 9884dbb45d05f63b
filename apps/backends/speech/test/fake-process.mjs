/**
 * A program that does what its requests say, for the tests of engine processes.
 *
 * @module
 */
import { RequestError, serveEngine } from '../src/engines/child/serve-engine.mjs'

/** @type {Record<string, (request: any, emit: (piece: unknown) => Promise<void>) => Promise<unknown>>} */
const work = {
  echo: async ({ value }) => value,
  refuse: async () => {
    throw new RequestError('no such voice')
  },
  fail: async ({ message = 'out of order' }) => {
    throw new Error(message)
  },
  crash: async () => process.kill(process.pid, 'SIGKILL'),
  hang: () => new Promise(() => setInterval(() => undefined, 1000)),
  spin: async () => {
    for (;;);
  },
  /** Sends pieces. The result is how many went out before the first one had to wait. */
  count: async ({ count }, emit) => {
    let sent = 0
    let free = 0
    /** @type {Promise<void>} */
    let room = Promise.resolve()
    while (sent < count) {
      room = emit(sent)
      sent += 1
      // No message is received meanwhile.
      const hasRoom = await Promise.race([room.then(() => true), Promise.resolve().then(() => Promise.resolve(false))])
      if (!hasRoom && free === 0) free = sent
      await room
    }
    return free
  },
  flood: async (_request, emit) => {
    for (let index = 0; index < 100_000; index += 1) void emit(index)
  },
  grow: async () => {
    const kept = []
    for (;;) {
      kept.push(Buffer.alloc(16 * 1024 * 1024, 1))
      await new Promise((resolve) => void setImmediate(resolve))
    }
  },
}

serveEngine({
  load: async (settings) => await work[settings.kind](settings),
  call: async (request, emit) => await work[request.kind](request, emit),
})
