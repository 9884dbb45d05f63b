import { setTimeout as sleep } from 'node:timers/promises'
import { serveBackend } from '@svc/backend-kit'

await serveBackend({
  handlers: {
    loadModel: () => ({ success: true, message: String(process.pid) }),
    /** One word every 20 ms, up to the requested number or until the caller leaves. */
    async *predictStream({ Tokens }, { signal }) {
      for (let index = 0; index < Tokens; index += 1) {
        yield { message: Buffer.from(`${index} `) }
        await sleep(20, undefined, { signal })
      }
    },
    /** Throws an unexpected error, synchronously or later. */
    tokenizeString: ({ Prompt }) => {
      if (Prompt === 'throw') setImmediate(() => fall())
      else void Promise.resolve().then(fall)
      return {}
    },
    /** Ignores its signal. */
    predict: () => new Promise(() => {}),
  },
  onStop: () => console.log('engine freed'),
})

function fall(): never {
  throw new Error('out of\nthe blue')
}
