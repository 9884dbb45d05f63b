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
    /** Looks at nothing. */
    predict: () => new Promise(() => {}),
  },
  onStop: () => console.log('engine freed'),
})
