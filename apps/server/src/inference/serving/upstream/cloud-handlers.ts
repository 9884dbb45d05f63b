import { type ModelOptions, StatusResponse_State } from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import { SvcError } from '@svc/errors'
import { loadCloudTarget, type SecretReader } from '@svc/proxy'
import type { CheckUpstream } from './own-address.ts'

/**
 * Creates the handlers of a relayed model. A load only checks its settings. Its requests go to the upstream by another
 * way than that of backends.
 */
export function createCloudHandlers({
  secrets,
  checkUpstream,
}: {
  readonly secrets: SecretReader
  readonly checkUpstream: CheckUpstream
}): BackendHandlers {
  return {
    loadModel: async ({ Proxy: settings }: ModelOptions) => {
      try {
        const { url } = await loadCloudTarget({ ...settings, provider: undefined }, { secrets })
        await checkUpstream(url)
        return { success: true, message: 'loaded' }
      } catch (error) {
        if (SvcError.is(error)) return { success: false, message: error.message }
        throw error
      }
    },
    free: () => ({ success: true, message: 'freed' }),
    status: () => ({ state: StatusResponse_State.READY }),
  }
}
