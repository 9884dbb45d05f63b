import type { BackendHandlers } from '@svc/backend-kit'
import { SvcError } from '@svc/errors'
import type { ModelHost } from '../model-host.ts'
import { findIgnored, toModelSettings } from './load-settings.ts'

/** LoadModel and Free. */
export function createLoadHandlers(host: ModelHost): Pick<BackendHandlers, 'loadModel' | 'free'> {
  return {
    loadModel: async (request, { signal }) => {
      try {
        const settings = toModelSettings(request)
        const ignored = findIgnored(request)
        if (ignored.length > 0) host.log.warn(`not supported, ignored: ${ignored.join(', ')}`)
        await host.load(request.Model, settings, { signal })
        return { success: true, message: 'loaded' }
      } catch (error) {
        signal.throwIfAborted()
        if (SvcError.is(error)) return { success: false, message: error.message }
        throw error
      }
    },
    free: async () => {
      await host.unload()
      return { success: true, message: 'freed' }
    },
  }
}
