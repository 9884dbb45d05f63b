import { setTimeout as sleep } from 'node:timers/promises'
import { serveBackend } from '@svc/backend-kit'

await serveBackend({
  handlers: {
    loadModel: () => ({ success: true, message: String(process.pid) }),
    /** One word every 20 ms, until there are enough of them or nobody listens. */
    async *predictStream({ Tokens }, { signal }) {
      for (let index = 0; index < Tokens; index += 1) {
        yield { message: Buffer.from(`${index} `) }
        await sleep(20, undefined, { signal })
      }
    },
    /** Falls over what nobody foresaw, the one way or the other. */
    tokenizeString: ({ Prompt }) => {
      if (Prompt === 'throw') setImmediate(() => fall())
      else void Promise.resolve().then(fall)
      return {}
    },
    /** Looks at nothing. */
    predict: () => new Promise(() => {}),
  },
  onStop: () => console.log('engine freed'),
})

function fall(): never {
  throw new Error('out of\nthe blue')
}
