import { StatusResponse_State } from '@svc/backend-client/proto'
import type { BackendAnswers } from '../state.ts'

/** Health, loading and figures. */
export const lifecycleAnswers = {
  health: () => ({ message: Buffer.from('OK') }),
  loadModel(request, { mock }) {
    mock.loaded = request
    return { success: true, message: 'model loaded (mock)' }
  },
  free(_request, { mock }) {
    mock.loaded = undefined
    return { success: true, message: 'model freed (mock)' }
  },
  status(_request, { mock }) {
    const { rss, heapUsed } = process.memoryUsage()
    return {
      state: mock.loaded ? StatusResponse_State.READY : StatusResponse_State.UNINITIALIZED,
      memory: { total: rss, breakdown: { heap: heapUsed } },
    }
  },
  getMetrics(_request, { mock: { last } }) {
    return { slotId: 0, tokensPerSecond: 50, tokensGenerated: last.tokens, promptTokensProcessed: last.promptTokens }
  },
  modelMetadata: () => ({ supportsThinking: false }),
} satisfies Partial<BackendAnswers>
