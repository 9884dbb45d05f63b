import type { BackendHandlers } from '@svc/backend-kit'
import { toCall } from '../call.ts'
import { readInput } from '../files.ts'
import type { ServiceHost } from '../host.ts'

/** Diarize. */
export function createDiarizationHandlers(host: ServiceHost): Pick<BackendHandlers, 'diarize'> {
  return {
    diarize: async (request, context) => {
      const { ModelIdentity, dst, threads: _threads, ...input } = request
      const service = host.use(ModelIdentity)
      const { segments, ...rest } = await service.diarize({ ...input, file: await readInput(dst) }, toCall(context))
      return { ...rest, segments: [...segments] }
    },
  }
}
