import { setTimeout as sleep } from 'node:timers/promises'
import { assertModelIdentity, modelNotLoaded, serveBackend } from '@svc/backend-kit'

let model = ''

/** The "engine": says the words of the last line backwards. */
function answer(request: { readonly Prompt: string; readonly ModelIdentity: string }): string[] {
  if (model === '') throw modelNotLoaded()
  assertModelIdentity(request.ModelIdentity, model)
  const lastLine = request.Prompt.trim().split('\n').at(-1) ?? ''
  return lastLine.split(/\s+/).reverse()
}

await serveBackend({
  handlers: {
    loadModel({ Model }) {
      model = Model
      return { success: true, message: `${Model} is loaded` }
    },
    predict(request) {
      const words = answer(request)
      return { message: Buffer.from(words.join(' ')), tokens: words.length }
    },
    async *predictStream(request, { signal }) {
      for (const [index, word] of answer(request).entries()) {
        await sleep(index === 0 ? 0 : 10, undefined, { signal })
        yield { message: Buffer.from(index === 0 ? word : ` ${word}`), tokens: index + 1 }
      }
    },
  },
})
