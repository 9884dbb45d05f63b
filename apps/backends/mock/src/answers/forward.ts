import type { BackendAnswers } from '../state.ts'

/** Relayed HTTP: an upstream that sends the body back. */
export const forwardAnswers = {
  async *forward(requests) {
    let isFirst = true
    for await (const { path, method, bodyChunk } of requests) {
      const head = {
        status: 200,
        headers: [
          { name: 'x-mock-path', value: path },
          { name: 'x-mock-method', value: method },
        ],
      }
      yield { ...(isFirst ? head : {}), bodyChunk }
      isFirst = false
    }
  },
} satisfies Partial<BackendAnswers>
