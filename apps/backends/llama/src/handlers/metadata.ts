import type { BackendHandlers } from '@svc/backend-kit'
import type { ModelHost } from '../model-host.ts'

/** ModelMetadata: the facts of the chat template for a host. */
export function createMetadataHandlers(host: ModelHost): Pick<BackendHandlers, 'modelMetadata'> {
  return {
    modelMetadata: (request) => {
      const { chatTemplate } = host.use(request.Model)
      return {
        supportsThinking: chatTemplate.supportsThinking,
        renderedTemplate: chatTemplate.sample,
        toolFormat: chatTemplate.markers,
        mediaMarker: '',
      }
    },
  }
}
